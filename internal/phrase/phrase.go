package phrase

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Or joins words for a sentence: a, b or c.
func Or(words ...string) string { return join(words, " or ") }

// And joins words for a sentence: a, b and c.
func And(words ...string) string { return join(words, " and ") }

// Count writes a number of things: "1 proxy", "2 proxies".
func Count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// Pairs lists labels or tags in order of their keys: "app=web, team=a".
func Pairs(m map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return strings.Join(out, ", ")
}

func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// Code sets words in backticks.
func Code(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return out
}

// Allowed says which values are allowed instead of word.
func Allowed(values []string, word string) string {
	if len(values) == 1 {
		return fmt.Sprintf("Only %q is.", values[0])
	}
	return fmt.Sprintf("Allowed are %s.%s", And(Quote(values)...), Suggest(word, values))
}

// Suggest returns a sentence that offers the candidate closest to word, with a
// leading blank; empty when none is close.
func Suggest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= bestDistance && d < len(word) && (best == "" || d < bestDistance) {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

// Misspelt returns the candidate that a word is with little doubt meant to be:
// not more than two letters differ, or one in a short word. It is for words that
// may be right although they are no candidate.
func Misspelt(word string, candidates []string) (meant string, ok bool) {
	const short = 8
	few := 2
	if len(word) < short {
		few = 1
	}
	if slices.Contains(candidates, word) {
		return "", false
	}
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= few {
			meant, ok, few = c, true, d-1
		}
	}
	return meant, ok
}

// distance counts the single-letter edits that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}

// Quote puts values in double quotes.
func Quote(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf("%q", v)
	}
	return out
}

// Sentence turns an error into a sentence for a diagnostic.
func Sentence(err error) string {
	text := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(err.Error(), "yaml: ")), ".")
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(text, "?") { // a suggestion
		return text
	}
	return text + "."
}

package phrase

import (
	"fmt"
	"slices"
	"strings"
)

// Allowed returns a sentence with the values that are valid instead of word.
func Allowed(values []string, word string) string {
	if len(values) == 1 {
		return fmt.Sprintf("The only valid value is %q.", values[0])
	}
	return fmt.Sprintf("Valid values: %s.%s", And(Quote(values)...), Suggest(word, values))
}

// ValidValues returns a sentence with the valid values, in Markdown.
func ValidValues(values []string) string {
	if len(values) == 1 {
		return "The only valid value is `" + values[0] + "`."
	}
	return "Valid values: " + And(Code(values)...) + "."
}

// hints are for words whose closest candidate has another meaning.
var hints = map[string]struct{ instead, sentence string }{
	"https": {"tcp", `For requests that the application encrypts itself, use "tcp". If it sends or accepts plain HTTP, use "http".`},
}

// Suggest returns a sentence that offers the candidate closest to word, with a
// leading space; empty when none is close.
func Suggest(word string, candidates []string) string {
	if hint, ok := hints[strings.ToLower(word)]; ok && slices.Contains(candidates, hint.instead) {
		return " " + hint.sentence
	}
	const short = 4 // every short word is close to another
	best, bestDistance := "", len(word)/3+1
	if len(word) < short {
		bestDistance = 1
	}
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

// Misspelled returns the candidate that a misspelled word almost certainly
// means: at most two letters differ, or one in a short word. It is for words
// that may be correct although they are not candidates.
func Misspelled(word string, candidates []string) (meant string, ok bool) {
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

// distance returns the number of single-letter edits that turn a into b.
func distance(a, b string) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
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

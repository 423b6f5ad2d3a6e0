package spec

import (
	"fmt"
	"strings"
)

// Or joins words for a sentence: a, b or c.
func Or(words ...string) string { return join(words, " or ") }

// And joins words for a sentence: a, b and c.
func And(words ...string) string { return join(words, " and ") }

func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// Suggest returns a sentence that offers the candidate closest to word, with a
// leading blank; empty when none is close.
func Suggest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
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

// quote lists values the way messages show them: "a", "b" and "c".
func quote(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf("%q", v)
	}
	return out
}

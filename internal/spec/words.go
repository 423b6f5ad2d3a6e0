package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
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

// Reference describes what a reference is to: `MeshService "web" with section http`.
func Reference(ref mesh.TargetRef) string {
	var b strings.Builder
	b.WriteString(ref.Kind)
	if ref.Kind == "" {
		b.WriteString(mesh.KindMesh)
	}
	if ref.Name != "" {
		fmt.Fprintf(&b, " %q", ref.Name)
	}
	with := " with "
	for _, part := range []struct{ text, value string }{
		{"namespace", ref.Namespace},
		{"labels", Pairs(ref.Labels)},
		{"tags", Pairs(ref.Tags)},
		{"section", ref.SectionName},
		{"proxy types", strings.Join(ref.ProxyTypes, ", ")},
	} {
		if part.value != "" {
			b.WriteString(with + part.text + " " + part.value)
			with = " and "
		}
	}
	return b.String()
}

func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// AttributeName derives the name in Terraform from a name of the API:
// spiffeID -> spiffe_id, MeshHTTPRoute -> mesh_http_route.
func AttributeName(wire string) string {
	if wire == "RSAbits" { // the only acronym that runs into the next word
		return "rsa_bits"
	}
	letters := []rune(wire)
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) {
			afterLower := !unicode.IsUpper(letters[i-1])
			endsAcronym := i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if afterLower || endsAcronym {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// attributes shows members the way descriptions name them.
func attributes(members []string) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = AttributeName(m)
	}
	return codes(names)
}

// codes sets words in backticks.
func codes(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return out
}

// only says which values are allowed instead of word.
func only(values []string, word string) string {
	if len(values) == 1 {
		return fmt.Sprintf("Only %q is.", values[0])
	}
	return fmt.Sprintf("Allowed are %s.%s", And(quote(values)...), Suggest(word, values))
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

// quote lists values the way messages show them: "a", "b" and "c".
func quote(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf("%q", v)
	}
	return out
}

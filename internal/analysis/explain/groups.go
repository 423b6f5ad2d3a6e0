package explain

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

const mostNames = 3 // of the proxies of one group

// Groups describes groups of proxies with the same rules. The zero value is ready to
// use.
type Groups struct {
	parts []string
	lines int
	left  int // groups that are only counted
}

// Add appends a group, with the answer for one of its proxies. After 400 lines,
// groups are only counted.
func (g *Groups) Add(dataplanes []string, a rules.Answer) {
	if g.lines >= 2*mostLines {
		g.left++
		return
	}
	text := phrase.Count(len(dataplanes), "proxy", "proxies") + ": " + phrase.Printable(phrase.Some(dataplanes, mostNames, "")) + "\n  " +
		strings.ReplaceAll(Text(a), "\n", "\n  ")
	g.parts = append(g.parts, text)
	g.lines += strings.Count(text, "\n") + 1
}

// Text describes the groups that were added, and ends with the number of omitted
// groups: those that Add only counted, and more, which is the number of groups that
// were not added.
func (g *Groups) Text(more int) string {
	parts := g.parts
	if len(parts) == 0 {
		return "No proxies match."
	}
	if left := g.left + more; left > 0 {
		parts = append(parts, phrase.More(left, "groups of proxies"))
	}
	return strings.Join(parts, "\n\n")
}

package explain

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const (
	mostLines     = 200 // of a text
	mostOverrides = 3   // of one value
	wide          = 80  // characters of a value
)

// Text lists for each kind of policy and each destination or inbound what the
// settings are, which policy each comes from, and which policies it overrides.
// Columns are not aligned, so that a changed value changes only one line. After 200
// lines, the rest is only counted.
func Text(a rules.Answer) string {
	var lines []string
	left := 0
	for _, p := range a.Applied() {
		topics := topicsOf(p)
		if len(lines) < mostLines && len(topics) > 0 {
			lines = append(lines, p.Type)
		}
		for _, t := range topics {
			if len(lines) >= mostLines {
				left++
				continue
			}
			lines = append(lines, t.text()...)
		}
	}
	switch {
	case left > 0:
		lines = append(lines, phrase.More(left, "destinations or inbounds: request fewer types or a single destination"))
	case len(lines) == 0:
		return "No policy has settings for this proxy."
	}
	for i, line := range lines {
		lines[i] = phrase.Printable(line)
	}
	return strings.Join(lines, "\n")
}

// text returns the lines about one topic, at most 200 values.
func (t topic) text() []string {
	lines := []string{"  " + t.about}
	leaves := t.leaves()
	for i, l := range leaves {
		if i == mostLines {
			return append(lines, "    "+phrase.More(len(leaves)-i, "values"))
		}
		lines = append(lines, "    "+t.sentence(l))
	}
	for _, note := range t.notes {
		lines = append(lines, "    "+note)
	}
	return lines
}

// sentence describes where one value comes from and what it overrides, in order
// of decreasing precedence.
func (t topic) sentence(l rules.Leaf) string {
	overridden := slices.Clone(l.Overridden)
	slices.Reverse(overridden)
	values := []any{l.Value}
	for _, o := range overridden {
		values = append(values, o.Value)
	}
	at, field := t.place(l.Path)
	texts := field.Texts(wide, values...)
	for i, o := range overridden {
		if !slices.Equal(o.Path, l.Path) {
			texts[i+1] = t.setting(o, wide)
		}
		texts[i+1] += " of " + by(o.SetBy)
	}
	s := at + texts[0] + " ← " + by(l.SetBy)
	if len(overridden) > 0 {
		s += ", overrides " + phrase.Some(texts[1:], mostOverrides, "")
	}
	return s
}

// setting describes the path of a setting and its value. most is the maximum length of
// the value in characters.
func (t topic) setting(s rules.Setting, most int) string {
	at, field := t.place(s.Path)
	return at + field.Texts(most, s.Value)[0]
}

// place describes the path of a setting, for a text that continues with its value.
func (t topic) place(path tree.Path) (string, def.Field) {
	requests, rest, field := t.kind.Words(t.conf, path)
	if field.Elements != nil {
		rest = field.Elements.Noun
	}
	if requests != "" {
		rest = strings.TrimSuffix(requests+": "+rest, ": ")
	}
	if rest == "" {
		return "", field
	}
	return rest + " = ", field
}

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
	text := phrase.Count(len(dataplanes), "proxy", "proxies") + ": " + phrase.Some(dataplanes, mostNames, "") + "\n  " +
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

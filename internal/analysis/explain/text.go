package explain

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
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
	for _, p := range a.Rules {
		if len(lines) < mostLines {
			lines = append(lines, p.Type)
		}
		for _, t := range topicsOf(p) {
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
		lines = append(lines, "    "+sentence(l))
	}
	for _, note := range t.notes {
		lines = append(lines, "    "+note)
	}
	return lines
}

// sentence describes where one value comes from and what it overrides, in order
// of decreasing precedence.
func sentence(l rules.Leaf) string {
	s := setting(l.Setting, wide) + " ← " + by(l.SetBy)
	var overridden []string
	for _, o := range slices.Backward(l.Overridden) {
		what := phrase.Value(o.Value, wide)
		if !slices.Equal(o.Path, l.Path) {
			what = setting(o, wide)
		}
		overridden = append(overridden, what+" of "+by(o.SetBy))
	}
	if len(overridden) > 0 {
		s += ", overrides " + phrase.Some(overridden, mostOverrides, "")
	}
	return s
}

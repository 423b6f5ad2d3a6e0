package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

const (
	mostArrows = 60 // of a diagram: more cannot be followed, and GitHub draws at most 500
	mostWords  = 4  // settings on one arrow
	narrow     = 40 // characters of a value
)

// Diagram draws the answer of a snapshot as a Mermaid flowchart, which GitHub and
// GitLab render in a block ```mermaid: for each kind of policy the policies in
// order of precedence, the weakest first, and arrows to what they set. A dashed
// arrow, or a dashed policy, has no effect because all of it is overridden. It
// draws at most 60 arrows and says how much it leaves out. The error is one of
// those of [rules.Snapshot.Rules], for an answer of another snapshot.
func Diagram(s *rules.Snapshot, a rules.Answer) (string, error) {
	d := flowchart{}
	d.line("flowchart LR")
	for i, p := range a.Rules {
		m, err := s.Match(a.Resource.Mesh, a.Resource.Name, p.Type)
		if err != nil {
			return "", err
		}
		d.policyType(fmt.Sprintf("k%d", i), p, m.Policies())
	}
	if d.left > 0 {
		d.line("  left[%s]", label(phrase.More(d.left, "")+": request fewer types"))
	}
	if len(d.overridden) > 0 {
		d.line("  classDef overridden stroke-dasharray: 5 5")
		d.line("  class %s overridden", strings.Join(d.overridden, ","))
	}
	return strings.Join(d.lines, "\n"), nil
}

type flowchart struct {
	lines      []string
	arrows     int
	left       int      // things that are left out
	overridden []string // nodes of policies without effect
}

func (d *flowchart) line(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// arrow is what one policy says about one topic.
type arrow struct {
	policy, topic int // positions
	wins, loses   []string
}

// policyType draws a box for one kind of policy.
func (d *flowchart) policyType(id string, p rules.PolicyRules, policies []kuma.Key) {
	var arrows []arrow
	var drawn []topic
	for _, t := range topicsOf(p) {
		if d.arrows >= mostArrows {
			d.left++
			continue
		}
		more := arrowsTo(len(drawn), t, policies)
		if room := mostArrows - d.arrows; len(more) > room {
			more = more[len(more)-room:] // the strongest policies
			d.left++
		}
		d.arrows += len(more)
		arrows = append(arrows, more...)
		drawn = append(drawn, t)
	}
	if len(drawn) == 0 {
		return
	}
	d.line("  subgraph %s[%s]", id, label(p.Type))
	for i, key := range policies {
		if !slices.ContainsFunc(arrows, func(a arrow) bool { return a.policy == i }) {
			continue
		}
		node := fmt.Sprintf("%sp%d", id, i)
		d.line("    %s[%s]", node, label(fmt.Sprintf("(%d) %s", i+1, key.Name)))
		if !slices.ContainsFunc(arrows, func(a arrow) bool { return a.policy == i && len(a.wins) > 0 }) {
			d.overridden = append(d.overridden, node)
		}
	}
	for i, t := range drawn {
		d.line("    %st%d([%s])", id, i, label(t.about))
	}
	for _, a := range arrows {
		shaft, words := "-->", a.wins
		if len(a.wins) == 0 {
			shaft = "-.->"
		}
		for _, lost := range a.loses {
			words = append(words, lost+" (overridden)")
		}
		d.line("    %sp%d %s|%s| %st%d", id, a.policy, shaft, label(bounded(words)...), id, a.topic)
	}
	d.line("  end")
}

// arrowsTo returns what each policy says about a topic, weakest first.
func arrowsTo(at int, t topic, policies []kuma.Key) []arrow {
	found := map[int]*arrow{}
	from := func(o rules.Origin) *arrow {
		i := slices.Index(policies, o.ResourceMeta.Key())
		if found[i] == nil {
			found[i] = &arrow{policy: i, topic: at}
		}
		return found[i]
	}
	for _, l := range t.leaves() {
		winner := from(l.SetBy)
		winner.wins = append(winner.wins, setting(l.Setting, narrow))
		for _, o := range l.Overridden {
			if loser := from(o.SetBy); loser != winner {
				loser.loses = append(loser.loses, setting(o, narrow))
			}
		}
	}
	var out []arrow
	for i := range policies {
		if a := found[i]; a != nil {
			out = append(out, *a)
		}
	}
	return out
}

func bounded(words []string) []string {
	if len(words) <= mostWords {
		return words
	}
	return append(slices.Clone(words[:mostWords-1]), phrase.More(len(words)-mostWords+1, ""))
}

// escape takes the meaning that a character has in Mermaid, or in the HTML and
// Markdown that it makes, from it.
var escape = strings.NewReplacer(
	"#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;", "*", "#42;", "_", "#95;",
	"\\", "#92;", "\n", " ", "\r", " ",
)

// label writes lines of text between quotes.
func label(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, l := range lines {
		escaped[i] = escape.Replace(l)
	}
	return `"` + strings.Join(escaped, "<br/>") + `"`
}

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
	mostArrows = 60 // of a diagram; more are unreadable, and GitHub draws at most 500
	mostWords  = 4  // settings on one arrow
	narrow     = 40 // characters of a value
)

// Diagram draws the answer of a snapshot as a Mermaid flowchart, which GitHub
// and GitLab render in a ```mermaid block. For each kind of policy it shows the
// policies in order of increasing precedence, with arrows to what they set. A
// dashed arrow or policy has no effect because it is fully overridden. The
// diagram has at most 60 arrows and counts the topics it omits. The error is
// one of those of [rules.Snapshot.Rules], if the answer belongs to another
// snapshot.
func Diagram(s *rules.Snapshot, a rules.Answer) (string, error) {
	d := flowchart{}
	d.line("flowchart LR")
	for i, p := range a.Applied() {
		d.policyType(fmt.Sprintf("k%d", i), p, s.Match(a.Resource.Mesh, a.Resource.Name, p.Type).Policies())
	}
	if d.left > 0 {
		d.line("  left[%s]", label(phrase.More(d.left, "")+": request fewer types"))
	}
	if len(d.overridden) > 0 {
		d.line("  classDef overridden stroke-dasharray: 5 5")
		d.line("  class %s overridden", strings.Join(d.overridden, ","))
	}
	return strings.Join(d.lines, "\n"), s.CheckDataplane(a.Resource.Mesh, a.Resource.Name)
}

type flowchart struct {
	lines      []string
	arrows     int
	left       int      // omitted topics
	overridden []string // nodes of policies that are fully overridden
}

func (d *flowchart) line(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// arrow is what one policy sets for one topic.
type arrow struct {
	policy, topic int // positions
	wins, loses   []string
}

// policyType draws the subgraph of one kind of policy.
func (d *flowchart) policyType(id string, p rules.PolicyRules, policies []kuma.Key) {
	var arrows []arrow
	var drawn []topic
	for _, t := range topicsOf(p) {
		if d.arrows >= mostArrows {
			d.left++
			continue
		}
		more := arrowsTo(len(drawn), t, policies)
		if len(more) == 0 {
			continue // only notes
		}
		if room := mostArrows - d.arrows; len(more) > room {
			more = more[len(more)-room:] // those with the highest precedence
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

// arrowsTo returns the arrows of the policies to a topic, in order of
// increasing precedence.
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
		winner.wins = append(winner.wins, t.setting(l.Setting, narrow))
		for _, o := range l.Overridden {
			if loser := from(o.SetBy); loser != winner {
				loser.loses = append(loser.loses, t.setting(o, narrow))
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

// escape replaces characters with a special meaning in Mermaid, or in the HTML and
// Markdown that it generates.
var escape = strings.NewReplacer(
	"#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;", "*", "#42;", "_", "#95;",
	"\\", "#92;", "\n", " ", "\r", " ",
)

// label formats lines of text as a quoted label.
func label(lines ...string) string {
	return `"` + strings.Join(phrase.Each(lines, escape.Replace), "<br/>") + `"`
}

package impact

import (
	"iter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// settings is the confs of one rule.
type settings struct {
	input   rules.Input // equal input means equal confs and leaves; zero if unknown
	confs   func() []any
	leaves  func() [][]rules.Leaf
	entries iter.Seq[rules.Entry] // in order of increasing precedence
}

// same reports whether two settings are known to be equal without comparing them.
func (s *settings) same(other *settings) bool {
	return s != nil && other != nil && s.input != (rules.Input{}) && s.input == other.input
}

// resourceSettings returns the settings of a resource rule of an outline.
func resourceSettings(r *rules.ResourceRule) *settings {
	return &settings{r.Input(), func() []any { return r.Merge() }, r.Explain, r.Entries()}
}

// tagSettings returns the settings of the legacy rules of an outline for the same
// peers. There are several if they have confs for hostnames.
func tagSettings(joined []rules.Rule) *settings {
	s := &settings{input: joined[0].Input()}
	if len(joined) > 1 {
		s.input = rules.Input{}
	}
	s.confs = func() []any {
		var confs []any
		for _, r := range joined {
			confs = append(confs, r.Merge())
		}
		return confs
	}
	s.leaves = func() [][]rules.Leaf {
		var out [][]rules.Leaf
		for _, r := range joined {
			out = append(out, r.Explain())
		}
		return out
	}
	s.entries = joined[0].Entries()
	return s
}

// incomingSettings returns the settings of a rule for incoming requests.
func incomingSettings(r rules.IncomingRule) *settings {
	return &settings{
		r.Input(),
		func() []any { return []any{r.Merge()} },
		func() [][]rules.Leaf { return [][]rules.Leaf{r.Explain()} },
		r.Entries(),
	}
}

func proxySettings(r *rules.ProxyRule) *settings {
	if r == nil {
		return nil
	}
	return &settings{
		r.Input(),
		func() []any { return []any{r.Conf} },
		func() [][]rules.Leaf { return [][]rules.Leaf{r.Explain()} },
		r.Entries(),
	}
}

// rank returns the position of an entry among those that the settings are merged
// from, the last position if it occurs several times, and whether it is among them.
func (s *settings) rank(of rules.Origin) (int, bool) {
	rank, found, i := 0, false, 0
	entry := rules.Entry{Policy: of.ResourceMeta.Key(), Index: of.RuleIndex}
	for e := range s.entries {
		if e == entry {
			rank, found = i, true
		}
		i++
	}
	return rank, found
}

// policies returns the policies of the entries. A policy may be repeated.
func (s *settings) policies() []kuma.Key {
	var keys []kuma.Key
	for e := range s.entries { // entries of one policy are usually adjacent
		if len(keys) == 0 || keys[len(keys)-1] != e.Policy {
			keys = append(keys, e.Policy)
		}
	}
	return keys
}

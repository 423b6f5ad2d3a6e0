package impact

import (
	"iter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// settings are the confs of one rule.
type settings struct {
	input   rules.Input // the same for the same confs and leaves; zero when that is not known
	confs   func() []any
	leaves  func() [][]rules.Leaf
	origins func() []kuma.Key
}

// same reports whether two settings are known to be the same, without comparing them.
func (s *settings) same(other *settings) bool {
	return s != nil && other != nil && s.input != (rules.Input{}) && s.input == other.input
}

// resourceSettings takes a rule of an outline.
func resourceSettings(r *rules.ResourceRule) *settings {
	return &settings{r.Input(), func() []any { return r.Merge() }, r.Explain, func() []kuma.Key { return policiesOf(r.Entries()) }}
}

// tagSettings joins legacy rules of an outline for the same peers: those for hostnames.
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
	s.origins = func() []kuma.Key { return policiesOf(joined[0].Entries()) }
	return s
}

func inboundSettings(r rules.InboundRule) *settings {
	return &settings{rules.Input{}, func() []any { return r.Conf }, r.Explain, func() []kuma.Key { return []kuma.Key{r.Origin[0].ResourceMeta.Key()} }}
}

func proxySettings(r *rules.ProxyRule) *settings {
	if r == nil {
		return nil
	}
	return &settings{
		r.Input(),
		func() []any { return []any{r.Conf} },
		func() [][]rules.Leaf { return [][]rules.Leaf{r.Explain()} },
		func() []kuma.Key { return keysOf(r.Origin) },
	}
}

// policiesOf returns the policies of entries; those of one policy come together as a rule.
func policiesOf(entries iter.Seq[rules.Entry]) []kuma.Key {
	var keys []kuma.Key
	for e := range entries {
		if len(keys) == 0 || keys[len(keys)-1] != e.Policy {
			keys = append(keys, e.Policy)
		}
	}
	return keys
}

func keysOf(metas []rules.Meta) []kuma.Key {
	var keys []kuma.Key
	for _, m := range metas {
		keys = append(keys, m.Key())
	}
	return keys
}

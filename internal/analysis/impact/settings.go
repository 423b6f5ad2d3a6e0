package impact

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// settings are the confs of one rule.
type settings struct {
	confs   []any
	leaves  func() [][]rules.Leaf
	origins func() []kuma.Key
}

func resourceSettings(r *rules.ResourceRule) *settings {
	return &settings{r.Conf, r.Explain, func() []kuma.Key {
		var keys []kuma.Key
		for _, o := range r.Origin {
			keys = append(keys, o.ResourceMeta.Key())
		}
		return keys
	}}
}

// tagSettings joins legacy rules for the same peers: those for hostnames.
func tagSettings(joined []rules.Rule) *settings {
	s := &settings{}
	for _, r := range joined {
		s.confs = append(s.confs, r.Conf)
	}
	s.leaves = func() [][]rules.Leaf {
		var out [][]rules.Leaf
		for _, r := range joined {
			out = append(out, r.Explain())
		}
		return out
	}
	s.origins = func() []kuma.Key { return keysOf(joined[0].Origin) }
	return s
}

func inboundSettings(r rules.InboundRule) *settings {
	return &settings{r.Conf, r.Explain, func() []kuma.Key { return []kuma.Key{r.Origin[0].ResourceMeta.Key()} }}
}

func proxySettings(r *rules.ProxyRule) *settings {
	if r == nil {
		return nil
	}
	return &settings{
		[]any{r.Conf},
		func() [][]rules.Leaf { return [][]rules.Leaf{r.Explain()} },
		func() []kuma.Key { return keysOf(r.Origin) },
	}
}

func keysOf(metas []rules.Meta) []kuma.Key {
	var keys []kuma.Key
	for _, m := range metas {
		keys = append(keys, m.Key())
	}
	return keys
}

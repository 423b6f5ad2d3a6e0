package impact

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// pathConf is the path of a conf without values.
const pathConf = "(conf)"

// place describes the path of a value in words.
type place struct {
	text    string
	field   def.Field
	element bool // whether the path is that of an element of a list
}

// place describes a path in a conf. prefix is the part of the path that selects the
// conf, and path includes it.
func (s routeLists) place(prefix, path string, conf any, at tree.Path) place {
	requests, rest, f := s.kind.Words(conf, at)
	p := place{text: phrase.CodeSpan(path), field: f}
	switch {
	case path == "":
		p.text = "the whole conf"
	case f.Elements != nil:
		_, p.element = at[len(at)-1].(int)
		p.text = f.Elements.Noun
	case requests != "" && rest != "":
		p.text = phrase.CodeSpan(rest)
	case requests != "":
		p.text = "the whole rule"
	default:
		return p
	}
	for _, of := range []string{requests, prefix} {
		if of != "" {
			p.text = phrase.CodeSpan(of) + ", " + p.text
		}
	}
	return p
}

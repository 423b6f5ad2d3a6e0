package rules

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Leaf is one value of a conf with its history: a string, number, boolean or
// null, a list as a whole, or an object without fields. Two kinds of lists are
// not leaves, because several policies contribute to them: the elements of
// lists that are concatenated are leaves, and the rules of an HTTP route have
// leaves of their own.
type Leaf struct {
	Setting
	Overridden []Setting `json:"overridden"` // in order of increasing precedence
}

// Setting is a value that an entry of a policy sets in a conf.
type Setting struct {
	// Path leads from the conf to the value. That of an overridden setting
	// differs from its leaf's only where an object and another value replaced
	// each other.
	Path  tree.Path `json:"path"`
	Value any       `json:"value"`
	SetBy Origin    `json:"setBy"`
}

// explain lists the leaves of each conf of a list.
func (t *trace) explain(describe func(*layer) Origin) [][]Leaf {
	return phrase.Each(t.elems, func(conf *trace) []Leaf { return conf.leaves(nil, nil, describe) })
}

// Explain returns for each leaf of the conf the entry that set it and the ones
// that it overrode, in the order of their paths. The result is nil for a rule
// that was not returned by a snapshot.
func (f mergeInput) Explain() []Leaf {
	if confs := f.explain(); f.nth < len(confs) {
		return confs[f.nth]
	}
	return nil
}

// Explain does for each conf what [Rule.Explain] does for one.
func (r ResourceRule) Explain() [][]Leaf { return r.explain() }

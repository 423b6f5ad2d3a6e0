package kuma3

import (
	"cmp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Condition is something in a document that works on a control plane 2.14 and that
// Kuma 3.0 treats differently.
type Condition struct {
	ID          string // "K3-006"
	Effect      Effect
	Danger      Danger
	Preparation Preparation
	// Unannounced is true if the upgrade notes of 3.0 do not mention this.
	Unannounced bool

	// Paths are the paths that the condition checks. They are empty if it involves
	// several resources.
	Paths []DocumentPath
	// Undeclared is true if no declaration of package kinds says that Kuma 3.0 does not
	// have or accept what the condition is about, so that only When decides. All other
	// conditions apply where the declarations say so, and their suggestions begin with
	// what the declaration says to do instead.
	Undeclared bool
	// When limits the condition to certain values; nil for all. It must return false if
	// the value is unknown or has the wrong type.
	When func(n tree.Node) bool
	// ServerOwned is true if a control plane 2.14 sets these fields itself, so that
	// users cannot change them in a stored resource.
	ServerOwned bool

	Doc string // what is wrong, and the effect in 3.0
	Do  string // what else to do
	// Instead returns the replacement for a value as a sentence, if it follows from
	// the document. It can only quote policies, because they contain no secrets.
	Instead func(n tree.Node) string
}

// Suggestion says what to do about all documents to which the condition applies.
func (c Condition) Suggestion() string {
	var sentences []string
	for _, p := range c.Paths {
		if c.Undeclared {
			break
		}
		path := tree.ParsePath(strings.ReplaceAll(p.Path, "[]", ".*"))
		sentences = append(sentences, replacements(findKind(p.Kind), path, func(value string) bool { return c.When == nil || c.When(tree.Root(value)) })...)
	}
	return join(append(sentences, c.Do))
}

// DocumentPath is a path in the documents of a kind, in the syntax of
// [tree.Node.Find]. The empty path is the whole resource.
type DocumentPath struct{ Kind, Path string }

// at returns a path in the documents of several kinds.
func at(path string, kinds ...string) []DocumentPath {
	paths := make([]DocumentPath, len(kinds))
	for i, kind := range kinds {
		paths[i] = DocumentPath{Kind: kind, Path: path}
	}
	return paths
}

// Effect is the effect of Kuma 3.0 on a document.
type Effect int

// Effects, worst first.
const (
	Breaks   Effect = iota // it is rejected, unreadable or ignored, or traffic is lost
	Changes                // it is accepted, but has another effect
	Cosmetic               // traffic does not change
)

// Danger is a risk beyond the effect.
type Danger int

// Dangers, worst first.
const (
	Widens   Danger = iota - 2 // a policy applies to more proxies than before
	Security                   // traffic that was protected or denied no longer is
	NoDanger
)

// Preparation is how much can be done on 2.14.
type Preparation int

// What can be done before the upgrade.
const (
	Everything Preparation = iota
	Partly
	Nothing
)

// Compare orders conditions by danger, worst first, then by effect and ID.
func (c Condition) Compare(o Condition) int {
	return cmp.Or(cmp.Compare(c.Danger, o.Danger), cmp.Compare(c.Effect, o.Effect), cmp.Compare(c.ID, o.ID))
}

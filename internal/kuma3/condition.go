package kuma3

import (
	"cmp"

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
	// When reports whether the condition applies to the value at a path. It must
	// return false if the value is unknown or has the wrong type. If When is nil, the
	// condition applies to every value that is set.
	When func(n tree.Node) bool
	// ServerOwned is true if a control plane 2.14 sets these fields itself, so that
	// users cannot change them in a stored resource.
	ServerOwned bool

	Doc string // what is wrong, and the effect in 3.0
	Do  string // what to do
	// Instead returns the replacement for a value as a sentence, if it follows from
	// the document. It can only quote policies, because they contain no secrets.
	Instead func(n tree.Node) string
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

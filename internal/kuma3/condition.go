package kuma3

import (
	"cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Condition is something in a document that is right for a control plane 2.14
// and that Kuma 3.0 treats otherwise.
type Condition struct {
	ID          string // "K3-006"
	Effect      Effect
	Danger      Danger
	Preparation Preparation
	// Unannounced says that the code of 3.0 does this and its upgrade notes do
	// not mention it.
	Unannounced bool

	// Places are what the condition looks at. There are none where several
	// resources decide together.
	Paths []DocumentPath
	// When reports whether the condition applies to what a place leads to. It must
	// not when that is unknown or of a wrong type. Without it, the condition holds
	// where something is set.
	When func(n tree.Node) bool
	// ServerOwned says that a control plane 2.14 writes into these places by
	// itself, so that what is found in a stored resource is not the user's to
	// change.
	ServerOwned bool

	Doc string // what is found, and what 3.0 makes of it
	Do  string // what to write instead
	// Instead writes the replacement for what was found, as a sentence, where it
	// follows from the document; nil when it never does. It may quote policies,
	// which hold no secrets, and nothing else.
	Instead func(n tree.Node) string
}

// DocumentPath is a path in the documents of a kind, as [tree.Node.Find] reads it; empty
// for the resource as a whole.
type DocumentPath struct{ Kind, Path string }

// at returns the places that a path leads to in documents of several kinds.
func at(path string, kinds ...string) []DocumentPath {
	places := make([]DocumentPath, len(kinds))
	for i, kind := range kinds {
		places[i] = DocumentPath{Kind: kind, Path: path}
	}
	return places
}

// Effect is how badly Kuma 3.0 treats a document.
type Effect int

// Effects, worst first.
const (
	Breaks   Effect = iota // refused, unreadable or unserved, or traffic is lost
	Changes                // accepted, and does something else
	Cosmetic               // nothing changes for traffic
)

// Danger is what makes an effect worse than it looks.
type Danger int

// Dangers, worst first.
const (
	Widens   Danger = iota - 2 // a policy reaches more proxies than before
	Security                   // traffic that was protected or refused no longer is
	NoDanger
)

// Preparation tells how much can be done on 2.14.
type Preparation int

// What can be done before the upgrade.
const (
	Everything Preparation = iota
	Partly
	Nothing
)

// Compare orders conditions by what to look at first: those that widen the
// reach of a policy, those that weaken security, then by effect.
func (c Condition) Compare(o Condition) int {
	return cmp.Or(cmp.Compare(c.Danger, o.Danger), cmp.Compare(c.Effect, o.Effect), cmp.Compare(c.ID, o.ID))
}

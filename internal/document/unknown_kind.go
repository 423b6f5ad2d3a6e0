package document

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// UnknownKinds determines how to treat a document of a kind that is not
// described.
type UnknownKinds int

// Ways to treat such a document.
const (
	Reject   UnknownKinds = iota // a problem
	LeaveOut                     // listed in [Result.LeftOut]; a problem where the name is misspelled
	Take                         // read, and not checked
)

// UnknownKind is the error that a kind is neither described nor, if there is a
// control plane, listed by it.
func UnknownKind(name string, listed ...string) error {
	who := "this provider"
	if listed != nil {
		who = "this provider or the control plane"
	}
	known := slices.Concat(listed, phrase.Each(kinds.All(), func(k def.Kind) string { return k.Name }))
	slices.Sort(known)
	return fmt.Errorf("%q is not a kind that %s supports.%s", name, who, phrase.Suggest(name, known))
}

func misspelled(name string) bool {
	_, ok := kinds.Misspelled(name)
	return ok
}

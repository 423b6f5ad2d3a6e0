package kinds

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// InitialLabelsSince is the release since which initial policies get the labels
// that other policies get; older ones have none (rest-api.md §20).
const InitialLabelsSince = "2.14"

// Initial returns what a control plane creates together with a mesh
// (matching.md §1.9), in the order of the kinds: policies that the mesh does
// not skip. They lack only what the control plane adds when it stores them. Kuma 3.0
// creates none (release3.md §2).
func Initial(m kuma.Resource, release kuma.Release) []kuma.Resource {
	if release.Kuma3() {
		return nil
	}
	return initialOf(m, false)
}

// initialOf returns what Kuma 2 creates, or what only a development build of Kuma 3.0 does.
func initialOf(m kuma.Resource, preview bool) []kuma.Resource {
	skipped := tree.List(m.Body["skipCreatingInitialPolicies"])
	var out []kuma.Resource
	for _, k := range All() {
		if k.Scope == def.Global || slices.Contains(skipped, any("*")) || slices.Contains(skipped, any(k.Name)) {
			continue
		}
		for _, i := range k.Initial {
			if i.Preview == preview {
				out = append(out, initial(k, i, fmt.Sprintf(i.Name, m.Name), m.Name))
			}
		}
	}
	return out
}

// InitialGenerators returns the HostnameGenerators that a control plane creates when it starts,
// both those of a zone and those of a global control plane.
func InitialGenerators() []kuma.Resource { return initialGlobals(HostnameGenerator) }

// initialGlobals returns the resources of a global kind that a control plane creates when it starts.
func initialGlobals(k def.Kind) []kuma.Resource {
	return phrase.Each(k.Initial, func(i def.Initial) kuma.Resource { return initial(k, i, i.Name, "") })
}

func initial(k def.Kind, i def.Initial, name, meshName string) kuma.Resource {
	body, err := tree.DecodeJSON([]byte(i.Spec))
	if err != nil {
		panic(fmt.Sprintf("kinds: initial %s: %v", k.Name, err)) // a test reads them all
	}
	return kuma.Resource{Type: k.Name, Mesh: meshName, Name: name, Body: map[string]any{"spec": body}}
}

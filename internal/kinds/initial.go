package kinds

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// Initial returns what a control plane creates together with a mesh
// (spec/matching.md §1.9), in the order of the kinds: policies that the mesh
// does not skip. They are complete but for what storing adds.
func Initial(m mesh.Resource) []mesh.Resource {
	skipped, _ := m.Body["skipCreatingInitialPolicies"].([]any)
	var out []mesh.Resource
	for _, k := range All() {
		if slices.Contains(skipped, any("*")) || slices.Contains(skipped, any(k.Name)) {
			continue
		}
		for _, i := range k.Initial {
			out = append(out, initial(k, i, m.Name))
		}
	}
	return out
}

func initial(k spec.Kind, i spec.Initial, meshName string) mesh.Resource {
	body, err := mesh.DecodeJSON([]byte(i.Spec))
	if err != nil {
		panic(fmt.Sprintf("kinds: initial %s: %v", k.Name, err)) // a test reads them all
	}
	return mesh.Resource{Type: k.Name, Mesh: meshName, Name: fmt.Sprintf(i.Name, meshName), Body: map[string]any{"spec": body}}
}

package testworld

import (
	_ "embed"
	"strings"
)

//go:embed older_kinds.yaml
var olderKinds string

// OlderKinds returns the documents of a mesh with a resource of each kind that Kuma 3.0 removed
// and that package kinds does not describe.
func OlderKinds(mesh string) string {
	return strings.NewReplacer("name: shop", "name: "+mesh, "mesh: shop", "mesh: "+mesh).Replace(olderKinds)
}

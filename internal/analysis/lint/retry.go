package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

var noRetries = Code{
	Code: "no-retries", Severity: Info, Since: "3.0", Title: "Clients that do not retry",
	Fix: "Create a MeshRetry, or ignore the finding",
	Doc: "Since Kuma 3.0, a mesh has no default policies, and proxies only retry if a MeshRetry says so. " +
		"Kuma 2 creates the MeshRetry `mesh-retry-all-NAME` with the mesh. " +
		"The finding is for the Mesh and names proxies without a MeshRetry that list services in `outbound` or `reachableBackends`. " +
		"Stated for 3.0.1, not measured.",
}

func findNoRetries(m *mesh, report func(Finding)) {
	meshes := m.ofKind(kuma.KindMesh)
	if len(meshes) == 0 || !m.Release().Has(noRetries.Since) {
		return
	}
	names := slices.DeleteFunc(m.Dataplanes(m.name), func(dataplane string) bool {
		return !m.listsServices(dataplane) || m.IsSelected(m.name, dataplane, kinds.MeshRetry.Name)
	})
	if len(names) == 0 {
		return
	}
	report(noRetries.at(meshes[0], nil,
		fmt.Sprintf("Proxies that no MeshRetry selects send each request once: %s.", some(names)),
		"Create a MeshRetry for these proxies, or ignore the finding if the applications retry by themselves.").on(len(names)))
}

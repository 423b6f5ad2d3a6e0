package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var exactNeverMatches = Code{
	Code: "exact-never-matches", Severity: Error, Title: "Exact SPIFFE ID that matches no certificate",
	Doc: "`rules` match the exact SPIFFE ID of a client in a mesh whose certificates come from `mtls` of the Mesh. These certificates contain several names, which a proxy compares as one string, so that an exact match never succeeds: an allowed client is denied, and a denied one may be allowed. Measured on Kuma 2.14.3. Certificates of a MeshIdentity contain a single name.",
}

func findExactNeverMatches(m *mesh) []Finding {
	if !m.meshNode().Get("mtls", "enabledBackend").Filled() || len(m.ofKind(kinds.MeshIdentity.Name)) > 0 {
		return nil
	}
	var findings []Finding
	for _, p := range m.policies {
		document := tree.Root(p.Document())
		for _, id := range slices.Concat(document.Find("spec.rules[].matches[].spiffeID"), document.Find("spec.rules[].default[][].spiffeID")) {
			value, _ := id.Get("value").Text()
			if match, _ := id.Get("type").Text(); match != "Exact" {
				continue
			}
			findings = append(findings, exactNeverMatches.at(p, id.Path,
				fmt.Sprintf("No client matches the exact SPIFFE ID %q, because certificates of the mesh contain several names.", value),
				"Set the type to Prefix, which also matches longer SPIFFE IDs, or create a MeshIdentity that selects the clients."))
		}
	}
	return findings
}

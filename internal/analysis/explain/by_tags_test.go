package explain_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
)

// TestSectionOfATagInModeExclusive checks that an entry for a missing port of a service that the proxy
// calls by its tag is not said to have no effect: the tag has no ports.
func TestSectionOfATagInModeExclusive(t *testing.T) {
	for outbound, want := range map[string]int{"tags: {kuma.io/service: api}": 0, "backendRef: {kind: MeshService, name: api, port: 80}": 1} {
		s, answer := answerOf(t, `{type: Mesh, name: default, meshServices: {mode: Exclusive}}
---
{type: Dataplane, name: proxy, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 9000, `+outbound+`}]}}
---
{type: Dataplane, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: MeshService, name: api, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80}]}}
---
{type: MeshTimeout, name: t, spec: {to: [{targetRef: {kind: MeshService, name: api, sectionName: admin}, default: {idleTimeout: 1s}}]}}
`)
		if warnings, err := explain.Warnings(s, answer, nil); err != nil || len(warnings) != want {
			t.Errorf("%s: %q, %v", outbound, warnings, err)
		}
	}
}

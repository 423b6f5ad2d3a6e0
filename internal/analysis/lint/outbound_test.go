package lint_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOutboundToExternalService checks that an outbound may refer to the tag of an
// ExternalService, a kind without a declaration.
func TestOutboundToExternalService(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, `
type: Mesh
name: default
---
type: Dataplane
name: web-1
networking:
  address: 10.0.0.1
  inbound: [{port: 8080, tags: {kuma.io/service: web}}]
  outbound: [{port: 10001, tags: {kuma.io/service: mail}}]
`)
	count := func(resources []kuma.Resource) int {
		return lint.CountCodes(lint.Mesh(rules.NewSnapshot(resources), "default"))["dangling-outbound"]
	}
	if got := count(resources); got != 1 {
		t.Errorf("%d findings without the service, want 1", got)
	}
	resources = append(resources, kuma.Resource{Type: "ExternalService", Mesh: "default", Name: "m", Body: map[string]any{"tags": map[string]any{"kuma.io/service": "mail"}}})
	if got := count(resources); got != 0 {
		t.Errorf("%d findings with the service, want none", got)
	}
}

package rules_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOutbounds checks the services that a Dataplane names, and which resources they
// may refer to.
func TestOutbounds(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, aMesh, `
type: MeshService
name: cart-4x7
labels: {kuma.io/display-name: cart, kuma.io/zone: east, app: cart}
spec: {ports: [{port: 80}]}
---
type: MeshService
name: cart
labels: {kuma.io/zone: west, app: cart}
spec: {ports: [{port: 80}]}
---
type: MeshExternalService
name: cart
spec: {match: {port: 443}}
---
type: Dataplane
name: web
networking:
  address: 10.0.0.1
  outbound:
    - {port: 10001, tags: {kuma.io/service: cart}}
    - {port: 10002, backendRef: {kind: MeshService, name: cart, port: 80}}
    - {port: 10003, tags: {version: v1}}
    - {port: 10004, backendRef: {kind: MeshExternalService, name: bank}}
  transparentProxying:
    reachableBackends:
      refs:
        - {kind: MeshExternalService, name: cart}
        - {kind: MeshService, labels: {app: cart}}
`)
	type outbound struct {
		Path, Name string
		Consumed   []string
	}
	s := rules.NewSnapshot(resources)
	var got []outbound
	for _, o := range rules.Outbounds(resources[len(resources)-1]) {
		out := outbound{Path: o.Path.String(), Name: o.String()}
		for _, key := range s.Consumed("default", o) {
			out.Consumed = append(out.Consumed, key.Type+" "+key.Name)
		}
		got = append(got, out)
	}
	want := []outbound{
		{"networking.outbound[0].tags", "service with the tag kuma.io/service=cart", []string{"MeshService cart", "MeshService cart-4x7", "MeshExternalService cart"}},
		{"networking.outbound[1].backendRef", `MeshService "cart"`, []string{"MeshService cart", "MeshService cart-4x7"}},
		{"networking.outbound[3].backendRef", `MeshExternalService "bank"`, nil},
		{"networking.transparentProxying.reachableBackends.refs[0]", `MeshExternalService "cart"`, []string{"MeshExternalService cart"}},
		{"networking.transparentProxying.reachableBackends.refs[1]", "MeshService with labels app=cart", []string{"MeshService cart", "MeshService cart-4x7"}},
	}
	testworld.Equal(t, "outbounds", want, got)
}

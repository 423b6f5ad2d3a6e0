package rules_test

import (
	"fmt"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestBackendRefs(t *testing.T) {
	t.Parallel()
	policy := testworld.Resource(t, `
type: MeshHTTPRoute
name: r
spec:
  to:
    - targetRef: {kind: Mesh}
      rules:
        - default:
            filters:
              - requestMirror: {backendRef: {kind: MeshExternalService, name: bank}}
            backendRefs:
              - {kind: MeshService, name: cart, port: 80}
              - {kind: MeshService, labels: {app: cart}}
              - {name: kindless}
`)
	var got []string
	for _, ref := range rules.BackendRefs(policy) {
		got = append(got, fmt.Sprintf("%s: %s, port %d", ref.Path, ref.TargetRef, ref.Port))
	}
	want := []string{
		`spec.to[0].rules[0].default.backendRefs[0]: MeshService "cart", port 80`,
		`spec.to[0].rules[0].default.backendRefs[1]: MeshService with labels app=cart, port 0`,
		`spec.to[0].rules[0].default.filters[0].requestMirror.backendRef: MeshExternalService "bank", port 0`,
	}
	testworld.Equal(t, "references", want, got)
}

// TestHasBackend covers the destinations of lint's finding "dangling-backend".
func TestHasBackend(t *testing.T) {
	t.Parallel()
	const (
		proxy     = "{type: Dataplane, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, version: v1}}]}}"
		service   = "{type: MeshService, name: cart, labels: {app: cart}, spec: {ports: [{port: 80, name: http}]}}"
		telemetry = "{type: MeshOpenTelemetryBackend, name: otel, labels: {team: ops}, spec: {}}"
		exclusive = "{type: Mesh, name: default, meshServices: {mode: Exclusive}}"
	)
	for name, tt := range map[string]struct {
		documents []string
		ref       string
		want      bool
	}{
		"service":                            {[]string{aMesh, service}, `{kind: MeshService, name: cart, port: 80}`, true},
		"service without that port":          {[]string{aMesh, service}, `{kind: MeshService, name: cart, port: 81}`, true},
		"service without that section":       {[]string{aMesh, service}, `{kind: MeshService, name: cart, sectionName: grpc}`, true},
		"service that is missing":            {[]string{aMesh, service, proxy}, `{kind: MeshService, name: pay, port: 80}`, false},
		"service by labels":                  {[]string{aMesh, service}, `{kind: MeshService, labels: {app: cart}, port: 80}`, true},
		"service by other labels":            {[]string{aMesh, service}, `{kind: MeshService, labels: {app: pay}, port: 80}`, false},
		"tag":                                {[]string{aMesh, proxy}, `{kind: MeshService, name: web}`, true},
		"tag with a port":                    {[]string{aMesh, proxy}, `{kind: MeshService, name: web, port: 80}`, false},
		"tag in mode Exclusive":              {[]string{exclusive, proxy}, `{kind: MeshService, name: web}`, true},
		"service in mode Exclusive":          {[]string{exclusive, service}, `{kind: MeshService, name: cart}`, true},
		"tag where no services are known":    {[]string{aMesh}, `{kind: MeshService, name: web}`, true},
		"subset":                             {[]string{aMesh, proxy}, `{kind: MeshServiceSubset, name: web, tags: {version: v1}}`, true},
		"subset with another tag":            {[]string{aMesh, proxy}, `{kind: MeshServiceSubset, name: web, tags: {version: v2}}`, false},
		"subset in mode Exclusive":           {[]string{exclusive, proxy}, `{kind: MeshServiceSubset, name: web, tags: {version: v1}}`, true},
		"subset where no services are known": {[]string{aMesh}, `{kind: MeshServiceSubset, name: web, tags: {version: v1}}`, true},
		"external service that is missing":   {[]string{aMesh}, `{kind: MeshExternalService, name: bank}`, false},
		"telemetry by labels":                {[]string{aMesh, telemetry}, `{kind: MeshOpenTelemetryBackend, labels: {team: ops}}`, true},
		"telemetry by other labels":          {[]string{aMesh, telemetry}, `{kind: MeshOpenTelemetryBackend, labels: {team: web}}`, false},
		"unknown mesh":                       {nil, `{kind: MeshService, name: web}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ref := rules.ParseBackendRef(tree.Root(testworld.Document(t, tt.ref)))
			policy := kuma.Resource{Type: "MeshHTTPRoute", Mesh: "default", Name: "r"}
			if got := snapshotOf(t, tt.documents...).HasBackend(policy, ref); got != tt.want {
				t.Errorf("HasBackend(%s) = %t, want %t", tt.ref, got, tt.want)
			}
		})
	}
}

// TestBackendIsTheMesh looks for the backend of a MeshTCPRoute without rules, which is its
// target (matching.md §10.1).
func TestBackendIsTheMesh(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, "{type: Mesh, name: shop}", "{type: MeshTCPRoute, mesh: shop, name: all, spec: {to: [{targetRef: {kind: Mesh}, rules: []}]}}")
	service, port := rules.NewSnapshot(resources).Backend(resources[1], rules.BackendRef{TargetRef: kuma.TargetRef{Kind: kuma.KindMesh}})
	if service != (kuma.ID{}) || port != (rules.Port{}) {
		t.Errorf("the backend is %+v, %+v", service, port)
	}
}

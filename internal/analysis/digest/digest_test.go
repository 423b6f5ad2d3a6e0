package digest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const mesh = `
type: Mesh
name: default
---
type: MeshService
name: backend
spec: {ports: [{port: 80, name: http, appProtocol: http}]}
---
type: MeshHTTPRoute
name: slow
spec:
  targetRef: {kind: Dataplane, labels: {route: slow}}
  to:
    - targetRef: {kind: MeshService, name: backend}
      rules: [{matches: [{path: {type: PathPrefix, value: /slow}}], default: {}}]
---
type: MeshTimeout
name: backend
spec:
  to: [{targetRef: {kind: MeshService, name: backend}, default: {http: {requestTimeout: 2s}}}]
---
type: MeshTimeout
name: inbound
spec:
  rules: [{default: {http: {requestTimeout: 3s}}}]
---
type: MeshTimeout
name: slow
spec:
  to: [{targetRef: {kind: MeshHTTPRoute, name: slow}, default: {http: {requestTimeout: 9s}}}]
---
type: MeshRateLimit
name: inbound
spec:
  from: [{targetRef: {kind: Mesh}, default: {local: {http: {requestRate: {num: 5, interval: 1s}}}}}]
---
type: MeshMetric
name: all
spec:
  default: {backends: [{type: Prometheus, prometheus: {port: 5670, path: /metrics}}]}
---
type: MeshHTTPRoute
name: first
spec: {to: [{targetRef: {kind: MeshService, name: backend}, rules: [{matches: [{path: {type: PathPrefix, value: /twin}}], default: {}}]}]}
---
type: MeshHTTPRoute
name: twin
spec:
  to: [{targetRef: {kind: MeshService, name: backend}, rules: [{matches: [{path: {type: PathPrefix, value: /twin}}], default: {}}]}]
---
type: MeshRetry
name: first
spec:
  to: [{targetRef: {kind: MeshHTTPRoute, name: first}, default: {http: {numRetries: 3}}}]
---
type: MeshTimeout
name: of-team
spec:
  targetRef: {kind: Dataplane, labels: {team: b}}
  to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 7s}}]
---
`

const web = `
type: Dataplane
name: web-1
labels: {app: web, host: h1}
networking:
  address: 10.0.0.1
  inbound:
    - {port: 8080, name: main, tags: {kuma.io/service: web, instance: "1"}}
    - {port: 9090, tags: {kuma.io/service: web-admin, instance: "1"}}
`

// digestWith returns the digest of a dataplane for the given types, after checking
// that its group has the same one.
func digestWith(t *testing.T, dataplane, world string, types ...string) string {
	t.Helper()
	resources := testworld.Resources(t, dataplane, world)
	s := rules.NewSnapshot(resources)
	name := resources[0].Name
	answer, err := s.Dataplane(kuma.DefaultMesh, name, types...)
	testworld.NoError(t, err)
	got, err := digest.Of(s, answer)
	testworld.NoError(t, err)
	groups, err := digest.Groups(s, kuma.DefaultMesh, []string{name}, types...)
	testworld.NoError(t, err)
	if diff := cmp.Diff([]digest.Group{{Digest: got, Dataplanes: []string{name}}}, groups); diff != "" {
		t.Errorf("groups differ from the digest (-digest +groups):\n%s", diff)
	}
	return got
}

// TestDigest checks which differences between proxies change the digest.
func TestDigest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		dataplane, world []string // edits of web-1 and of the mesh
		types            []string
		equal            bool
	}{
		"name":                       {[]string{"web-1", "web-2"}, nil, nil, true},
		"address":                    {[]string{"10.0.0.1", "10.0.0.2"}, nil, nil, true},
		"labels":                     {[]string{"host: h1", "host: h2, zone: x"}, nil, nil, true},
		"tags of an inbound":         {[]string{`instance: "1"`, `instance: "2"`}, nil, nil, true},
		"port of a named inbound":    {[]string{"8080", "9999"}, nil, nil, true},
		"port of an unnamed inbound": {[]string{"9090", "9091"}, nil, nil, false},
		"name of an inbound":         {[]string{"main", "http"}, nil, nil, false},
		"policy with the same conf":  {nil, []string{"type: MeshTimeout\nname: backend", "type: MeshTimeout\nname: zz"}, nil, true},
		"labels of a destination":    {nil, []string{"type: MeshService\nname: backend", "type: MeshService\nname: backend\nlabels: {a: b}"}, nil, true},
		"conf for a destination":     {nil, []string{"2s", "1s"}, nil, false},
		"conf for requests":          {nil, []string{"3s", "1s"}, nil, false},
		"conf for clients":           {nil, []string{"num: 5", "num: 6"}, nil, false},
		"conf for the proxy":         {nil, []string{"port: 5670", "port: 5671"}, nil, false},
		"conf of an excluded type":   {nil, []string{"port: 5670", "port: 5671"}, []string{"MeshTimeout"}, true},
		"selected by another policy": {[]string{"app: web", "app: web, team: b"}, nil, nil, false},
		"route that applies":         {[]string{"app: web", "app: web, route: slow"}, nil, []string{"MeshTimeout"}, false},
		"route with the same matches and settings, more specific": {
			nil, []string{"name: twin\nspec:\n", "name: twin\nspec:\n  targetRef: {kind: Dataplane}\n"}, []string{"MeshRetry"}, false,
		},
		"route with the same matches, without settings": {
			nil, []string{"name: twin\nspec:\n", "name: twin\nspec:\n  targetRef: {kind: Dataplane}\n"}, []string{"MeshTimeout"}, true,
		},
		"matches of a route with settings":     {nil, []string{"value: /twin", "value: /other"}, []string{"MeshRetry"}, false},
		"conf for a route that does not apply": {nil, []string{"9s", "8s"}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := digestWith(t, web, mesh, tt.types...)
			is := digestWith(t, testworld.Edited(t, web, tt.dataplane...), testworld.Edited(t, mesh, tt.world...), tt.types...)
			if (was == is) != tt.equal {
				t.Errorf("digests are equal: %t, want %t", was == is, tt.equal)
			}
		})
	}
}

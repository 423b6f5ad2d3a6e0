package impact_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// shop is a mesh with three proxies, two services, a route to one of them, and a
// default for all timeouts.
const shop = `
type: Mesh
name: shop
---
type: Dataplane
mesh: shop
name: web-1
labels: {app: web}
networking:
  address: 10.0.0.1
  inbound:
    - port: 8080
      name: main
      tags: {kuma.io/service: web, kuma.io/protocol: http}
---
type: Dataplane
mesh: shop
name: web-2
labels: {app: web}
networking:
  address: 10.0.0.2
  inbound:
    - port: 8080
      name: main
      tags: {kuma.io/service: web, kuma.io/protocol: http}
---
type: Dataplane
mesh: shop
name: batch-1
labels: {app: batch}
networking:
  address: 10.0.0.3
  inbound:
    - port: 8080
      name: main
      tags: {kuma.io/service: batch, kuma.io/protocol: http}
---
type: MeshService
mesh: shop
name: payments
spec:
  ports: [{port: 80, name: http, appProtocol: http}]
---
type: MeshService
mesh: shop
name: stock
spec:
  ports: [{port: 80, name: http}]
---
type: MeshTimeout
mesh: shop
name: everybody
spec:
  to:
    - targetRef: {kind: Mesh}
      default:
        connectionTimeout: 5s
        http: {requestTimeout: 15s}
`

// shopWith returns a snapshot of the shop and further documents.
func shopWith(t *testing.T, documents ...string) *rules.Snapshot {
	t.Helper()
	return snapshotOf(t, append([]string{shop}, documents...)...)
}

func snapshotOf(t *testing.T, documents ...string) *rules.Snapshot {
	t.Helper()
	return rules.NewSnapshot(testworld.Resources(t, documents...))
}

func compare(tb testing.TB, before, after *rules.Snapshot, mesh string, types ...string) impact.Impact {
	tb.Helper()
	found, err := impact.Compare(before, after, mesh, types...)
	testworld.NoError(tb, err)
	return found
}

// requestChanges returns what the summary says about requests, for a change of the mesh shop in
// Kuma 2.
func requestChanges(t *testing.T, before, after []string) (changes []string) {
	t.Helper()
	read := func(documents []string) *rules.Snapshot {
		return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, documents...))
	}
	found := compare(t, read(before), read(after), "shop")
	for line := range strings.Lines(found.Summary()) {
		if strings.Contains(line, " port ") && !strings.HasPrefix(line, "- ") {
			changes = append(changes, strings.TrimSpace(line))
		}
	}
	return changes
}

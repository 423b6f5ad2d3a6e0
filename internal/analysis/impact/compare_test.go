package impact_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Policies of the tests, as they are added to the shop.
const (
	forPayments = `
type: MeshTimeout
mesh: shop
name: payments
spec:
  to:
    - targetRef: {kind: MeshService, name: payments}
      default: {http: {requestTimeout: 5s}}
`
	route = `
type: MeshHTTPRoute
mesh: shop
name: slow
spec:
  targetRef:
    kind: Dataplane
    labels: {app: web}
  to:
    - targetRef: {kind: MeshService, name: payments}
      rules:
        - matches:
            - path: {type: PathPrefix, value: /slow}
          default:
            backendRefs:
              - {kind: MeshService, name: payments, port: 80}
`
	forRoute = `
type: MeshTimeout
mesh: shop
name: slow
spec:
  to:
    - targetRef: {kind: MeshHTTPRoute, name: slow}
      default: {http: {streamIdleTimeout: 1m}}
`
	exclusive = `
type: Mesh
name: shop
meshServices: {mode: Exclusive}`
	encrypted = `
type: Mesh
name: shop
meshServices: {mode: Exclusive}
mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}`
	accept = `
type: MeshTimeout
mesh: shop
name: accept
spec:
  rules:
    - {default: {idleTimeout: 1h}}
`
	acceptClient = `
type: MeshTimeout
mesh: shop
name: client
spec:
  rules:
    - matches:
        - spiffeID: {type: Exact, value: "spiffe://shop/batch"}
      default: {http: {requestTimeout: 9s}}
`
	allow = `
type: MeshTrafficPermission
mesh: shop
name: allow
spec:
  from:
    - targetRef: {kind: Mesh}
      default: {action: Deny}
    - targetRef:
        kind: MeshSubset
        tags: {kuma.io/service: batch}
      default: {action: Allow}
`
	patch = `
type: MeshProxyPatch
mesh: shop
name: patch
spec:
  default:
    appendModifications:
      - cluster: {operation: Add, value: a}
      - cluster: {operation: Add, value: b}
`
)

func TestCompare(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after []string
		want          []string
	}{
		"nothing changes": {[]string{forPayments, route}, []string{forPayments, route}, nil},
		"new policy changes one value although its rule repeats those of the mesh": {
			[]string{exclusive},
			[]string{exclusive, forPayments},
			[]string{"batch-1,web-1,web-2: to kri_msvc_shop___payments_ http.requestTimeout: 15s by everybody#0 -> 5s by payments#0"},
		},
		"removed policy": {
			[]string{exclusive, forPayments},
			[]string{exclusive},
			[]string{"batch-1,web-1,web-2: to kri_msvc_shop___payments_ http.requestTimeout: 5s by payments#0 -> 15s by everybody#0"},
		},
		"conf without values": {
			[]string{exclusive},
			[]string{exclusive, "{type: MeshRetry, mesh: shop, name: empty, spec: {to: [{targetRef: {kind: Mesh}, default: {}}]}}"},
			[]string{"batch-1,web-1,web-2: to kri_m____shop_ (conf): none -> {} by empty#0"},
		},
		"services by resource and by tag": {
			nil,
			[]string{testworld.Edited(t, forPayments, "name: payments\n", "name: a\n")},
			[]string{
				"batch-1,web-1,web-2: to kri_msvc_shop___payments_ http.requestTimeout: 15s by everybody#0 -> 5s by a#0",
				"batch-1,web-1,web-2: to kuma.io/service=payments http.requestTimeout: 15s by everybody#0 -> 5s by a#0",
			},
		},
		"entry for a route replaces the request timeout of the service": {
			[]string{exclusive, route, forPayments, testworld.Edited(t, forPayments, "requestTimeout: 5s", "streamIdleTimeout: 2m", "name: payments\n", "name: idle\n")},
			[]string{exclusive, route, forPayments, testworld.Edited(t, forPayments, "requestTimeout: 5s", "streamIdleTimeout: 2m", "name: payments\n", "name: idle\n"), testworld.Edited(t, forRoute, "streamIdleTimeout: 1m", "requestTimeout: 30s")},
			[]string{
				"web-1,web-2: to kri_mhttpr_shop___slow_ http.requestTimeout: 5s by payments#0 -> 30s by slow#0",
			},
		},
		"route without settings for it": {
			[]string{exclusive, forPayments},
			[]string{exclusive, forPayments, route},
			[]string{
				`web-1,web-2: to kri_msvc_shop___payments_ rules[{"path":{"type":"PathPrefix","value":"/slow"}}].default.backendRefs: none -> [{"kind":"MeshService","name":"payments","port":80}] by slow#0`,
			},
		},
		"new service gets existing settings": {
			[]string{exclusive, testworld.Edited(t, forPayments, "name: payments}", "name: parcels}")},
			[]string{exclusive, testworld.Edited(t, forPayments, "name: payments}", "name: parcels}"), `
type: MeshService
mesh: shop
name: parcels
spec:
  ports: [{port: 80}]
`},
			[]string{
				"batch-1,web-1,web-2: to kri_msvc_shop___parcels_ connectionTimeout: none -> 5s by everybody#0",
				"batch-1,web-1,web-2: to kri_msvc_shop___parcels_ http.requestTimeout: none -> 5s by payments#0",
			},
		},
		"inbound rules are compared by match": {
			[]string{accept},
			[]string{testworld.Edited(t, accept, "1h", "2h"), acceptClient},
			[]string{
				"batch-1,web-1,web-2: rules port 8080 idleTimeout: 1h by accept#0 -> 2h by accept#0",
				`batch-1,web-1,web-2: rules port 8080, {"spiffeID":{"type":"Exact","value":"spiffe://shop/batch"}} http.requestTimeout: none -> 9s by client#0`,
				`batch-1,web-1,web-2: rules port 8080, {"spiffeID":{"type":"Exact","value":"spiffe://shop/batch"}} idleTimeout: 1h by accept#0 -> 2h by accept#0`,
			},
		},
		"policy replaced with an equal one": {[]string{accept}, []string{testworld.Edited(t, accept, "name: accept", "name: other")}, nil},
		"entries of from are compared by client": {
			[]string{encrypted, allow},
			[]string{encrypted, testworld.Edited(t, allow, "action: Allow", "action: Deny")},
			[]string{
				"batch-1,web-1,web-2: rules port 8080 access: some clients by #0 -> no client by #0",
				"batch-1,web-1,web-2: from port 8080, kuma.io/service=batch action: Allow by allow#1 -> Deny by allow#1",
			},
		},
		"entry for a different client": {
			[]string{encrypted, allow},
			[]string{encrypted, testworld.Edited(t, allow, "service: batch", "service: web")},
			[]string{
				"batch-1,web-1,web-2: from port 8080, kuma.io/service=batch action: Allow by allow#1 -> Deny by allow#0",
				"batch-1,web-1,web-2: from port 8080, kuma.io/service=web action: Deny by allow#0 -> Allow by allow#1",
			},
		},
		"element inserted at the front": {
			[]string{patch},
			[]string{testworld.Edited(t, patch, "Modifications:\n", "Modifications:\n      - cluster: {operation: Add, value: c}\n")},
			[]string{`batch-1,web-1,web-2: default proxy appendModifications[]: none -> {"cluster":{"operation":"Add","value":"c"}} by patch#0`},
		},
		"reordered elements": {
			[]string{patch},
			[]string{testworld.Edited(t, patch, "value: a", "value: x", "value: b", "value: a", "value: x", "value: b")},
			[]string{`batch-1,web-1,web-2: default proxy appendModifications: ` +
				`[{"cluster":{"operation":"Add","value":"a"}},{"cluster":{"operation":"Add","value":"b"}}] by patch#0 -> ` +
				`[{"cluster":{"operation":"Add","value":"b"}},{"cluster":{"operation":"Add","value":"a"}}] by patch#0`},
		},
		"only some dataplanes selected": {
			[]string{exclusive},
			[]string{exclusive, testworld.Edited(t, forPayments, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: web}}\n")},
			[]string{"web-1,web-2: to kri_msvc_shop___payments_ http.requestTimeout: 15s by everybody#0 -> 5s by payments#0"},
		},
		"changed dataplane is compared in all types": {
			[]string{encrypted, allow},
			[]string{encrypted, allow, batchOn(9090)},
			[]string{
				"batch-1: from port 8080, any action: Deny by allow#0 -> none",
				"batch-1: from port 8080, kuma.io/service=batch action: Allow by allow#1 -> none",
				"batch-1: from port 9090, any action: none -> Deny by allow#0",
				"batch-1: from port 9090, kuma.io/service=batch action: none -> Allow by allow#1",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := compare(t, shopWith(t, tt.before...), shopWith(t, tt.after...), "shop")
			testworld.Equal(t, "changes", tt.want, lines(i))
			if n := len(i.Changed()) + len(i.Unchanged); n != 3 {
				t.Errorf("got %d changed and unchanged dataplanes, want 3", n)
			}
		})
	}
}

func batchOn(port int) string {
	return fmt.Sprintf("type: Dataplane\nmesh: shop\nname: batch-1\nlabels: {app: batch}\n"+
		"networking: {address: 10.0.0.3, inbound: [{port: %d, tags: {kuma.io/service: batch}}]}", port)
}

// lines formats the changes, one on each line.
func lines(i impact.Impact) []string {
	var out []string
	for _, r := range i.Rows() {
		out = append(out, fmt.Sprintf("%s: %s %s %s: %s -> %s", strings.Join(r.Dataplanes, ","), r.Direction, r.Destination, r.Path, show(r.Before), show(r.After)))
	}
	return out
}

func show(v *impact.Value) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%s by %s#%d", strings.Trim(v.JSON, `"`), v.SetBy.Name, v.SetBy.Index)
}

func TestDataplanesAddedAndRemoved(t *testing.T) {
	i := compare(t, shopWith(t), snapshotOf(t, testworld.Edited(t, shop, "name: web-2", "name: web-3"), forPayments), "shop")
	got := map[string][]string{"added": i.Added, "removed": i.Removed, "changed": i.Changed(), "unchanged": i.Unchanged}
	want := map[string][]string{"added": {"web-3"}, "removed": {"web-2"}, "changed": {"batch-1", "web-1"}, "unchanged": nil}
	testworld.Equal(t, "dataplanes", want, got)
	if got, want := i.Values(), 2; got != want {
		t.Errorf("Values() = %d, want %d", got, want)
	}
}

// A proxy without a certificate ignores permissions: its configuration has none.
func TestPermissionsWithoutCertificate(t *testing.T) {
	i := compare(t, shopWith(t), shopWith(t, allow), "shop")
	if rows := lines(i); len(rows) > 0 || len(i.WithoutEffect) != 1 || !strings.Contains(i.WithoutEffect[0].Reason, "have no certificate") {
		t.Errorf("%v, without effect %v", rows, i.WithoutEffect)
	}
}

func TestMeshAddedAndRemoved(t *testing.T) {
	names := []string{"batch-1", "web-1", "web-2"}
	i, err := impact.Compare(rules.NewSnapshot(nil), shopWith(t), "shop")
	if diff := cmp.Diff(names, i.Added); err != nil || diff != "" || len(i.WithoutEffect) > 0 {
		t.Errorf("added mesh: %v, %v (-want +got):\n%s", err, i.WithoutEffect, diff)
	}
	i, err = impact.Compare(shopWith(t), rules.NewSnapshot(nil), "shop")
	if diff := cmp.Diff(names, i.Removed); err != nil || diff != "" || len(i.WithoutEffect) > 0 {
		t.Errorf("removed mesh: %v, %v (-want +got):\n%s", err, i.WithoutEffect, diff)
	}
	const service = "{type: MeshMultiZoneService, mesh: shop, name: all, spec: {selector: {meshService: {}}, ports: [{port: 80}]}}"
	alone := slices.DeleteFunc(testworld.Resources(t, shop, service), func(r kuma.Resource) bool { return r.Type == kuma.KindMesh })
	i = compare(t, shopWith(t, service), rules.NewSnapshot(alone), "shop")
	testworld.Equal(t, "removed mesh, whose resources remain", names, i.Removed)
	i = compare(t, rules.NewSnapshot(alone), shopWith(t, service), "shop")
	testworld.Equal(t, "added mesh, whose resources exist", names, i.Added)
	if _, err := impact.Compare(shopWith(t), shopWith(t), "other"); !errors.Is(err, rules.ErrUnknownMesh) {
		t.Errorf("Compare(other) = %v, want %v", err, rules.ErrUnknownMesh)
	}
}

// TestTooManySubsets checks that a comparison fails if the rules of one of the sides cannot be computed.
func TestTooManySubsets(t *testing.T) {
	entries := make([]string, 100)
	for i := range entries {
		entries[i] = fmt.Sprintf("{targetRef: {kind: MeshSubset, tags: {k%d: v}}, default: {}}", i)
	}
	for _, policy := range []string{
		"{type: MeshTimeout, mesh: shop, name: p, spec: {to: [%s]}}", "{type: MeshTrafficPermission, mesh: shop, name: p, spec: {from: [%s]}}",
	} {
		many := shopWith(t, fmt.Sprintf(policy, strings.Join(entries, ", ")))
		if _, err := impact.Compare(shopWith(t), many, "shop"); !errors.Is(err, rules.ErrTooManySubsets) {
			t.Errorf("%s after the change: got error %v, want %v", policy, err, rules.ErrTooManySubsets)
		}
		if _, err := impact.Compare(many, shopWith(t), "shop"); !errors.Is(err, rules.ErrTooManySubsets) {
			t.Errorf("%s before the change: got error %v, want %v", policy, err, rules.ErrTooManySubsets)
		}
		if _, err := impact.Compare(many, shopWith(t, patch), "shop", "MeshProxyPatch"); err != nil {
			t.Errorf("%s, which is not compared: %v", policy, err)
		}
	}
}

func TestTypes(t *testing.T) {
	before, after := shopWith(t, exclusive), shopWith(t, exclusive, forPayments, patch)
	for name, tt := range map[string]struct {
		types []string
		want  int // rows
	}{
		"all":  {nil, 1 + 2},
		"one":  {[]string{"MeshTimeout"}, 1},
		"two":  {[]string{"MeshTimeout", "MeshProxyPatch"}, 3},
		"none": {[]string{"MeshRetry"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			i := compare(t, before, after, "shop", tt.types...)
			if got := len(i.Rows()); got != tt.want || len(i.WithoutEffect) > 0 {
				t.Errorf("%d rows, %v without effect, want %d and none:\n%s", got, i.WithoutEffect, tt.want, strings.Join(lines(i), "\n"))
			}
		})
	}
}

package access_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// shop has a frontend with outbounds to checkout and payments, and permissions for checkout
// from the frontend, and for payments from checkout, which has no outbound.
func shop(t *testing.T) []string {
	t.Helper()
	out := []string{secureMesh}
	for i, name := range []string{"frontend", "checkout", "payments"} {
		document := dataplane(name, fmt.Sprintf("10.0.0.%d", i+1))
		outbound := "outbound: [{port: 9999, backendRef: {kind: MeshService, name: nowhere}}, {port: 9998, backendRef: {kind: MeshService, name: frontend}}]"
		if name == "frontend" {
			outbound = "outbound: [{port: 9998, backendRef: {kind: MeshService, name: checkout}}, {port: 9999, backendRef: {kind: MeshService, name: payments}}]"
		}
		out = append(out, testworld.Edited(t, document, "networking: {", "networking: {"+outbound+", "))
	}
	return append(out,
		`{type: MeshTrafficPermission, mesh: shop, name: to-checkout, spec: {targetRef: {kind: Dataplane, labels: {app: checkout}}, rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop/frontend"}}]}}]}}`,
		`{type: MeshTrafficPermission, mesh: shop, name: to-payments, spec: {targetRef: {kind: Dataplane, labels: {app: payments}}, rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop/checkout"}}]}}]}}`)
}

func matrixOf(t *testing.T, f access.Filter, documents ...string) access.Matrix {
	t.Helper()
	m, err := proxy.New(rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, documents...)), "shop")
	testworld.NoError(t, err)
	matrix, err := access.Of(m, f)
	testworld.NoError(t, err)
	return matrix
}

// lines describes each answer of a matrix.
func lines(m access.Matrix) []string {
	var out []string
	for _, r := range m.Rows {
		var ports []string
		for _, p := range r.Ports {
			ports = append(ports, fmt.Sprintf("%s:%d", p.Resource.Name, p.Number))
		}
		for _, a := range r.Access {
			var clients []string
			for _, i := range a.Clients {
				clients = append(clients, m.Clients[i].Name)
			}
			out = append(out, fmt.Sprintf("%s from %s: reachable %t, %s, %s", strings.Join(ports, " "), strings.Join(clients, " "), a.Reachable, a.Verdict, a.Reason))
		}
	}
	return out
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		filter access.Filter
		want   []string
	}{
		"all": {access.Filter{}, []string{
			"checkout:80 from frontend: reachable true, allowed, MeshTrafficPermission to-checkout allows spiffe://shop/frontend*",
			"checkout:80 from checkout payments: reachable false, denied, no permission allows it",
			"frontend:80 from checkout payments: reachable true, denied, no permission allows it",
			"frontend:80 from frontend: reachable false, denied, no permission allows it",
			"payments:80 from frontend: reachable true, denied, no permission allows it",
			"payments:80 from checkout: reachable false, allowed, MeshTrafficPermission to-payments allows spiffe://shop/checkout*",
			"payments:80 from payments: reachable false, denied, no permission allows it",
		}},
		"from and to": {access.Filter{From: []string{"checkout-1"}, To: []string{"payments"}}, []string{
			"payments:80 from checkout: reachable false, allowed, MeshTrafficPermission to-payments allows spiffe://shop/checkout*",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, lines(matrixOf(t, tt.filter, shop(t)...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMatrixOfAdvertisedAddress shows that the inbounds of a port are told apart by their own addresses.
func TestMatrixOfAdvertisedAddress(t *testing.T) {
	t.Parallel()
	m := matrixOf(t, access.Filter{}, secureMesh, `
{type: Dataplane, mesh: shop, name: a, networking: {address: 10.0.0.1, advertisedAddress: 192.0.2.1, inbound: [{port: 80, tags: {kuma.io/service: a}}, {address: 10.0.0.2, port: 80, tags: {kuma.io/service: b}}]}}
---
{type: MeshService, mesh: shop, name: b, spec: {selector: {dataplaneTags: {kuma.io/service: b}}, ports: [{port: 80, targetPort: 80}]}}`)
	if got := lines(m); len(got) == 0 {
		t.Error("no service")
	}
}

// TestMatrixWithoutZoneProxies shows that a zone proxy is not a client: no application sends
// requests from it.
func TestMatrixWithoutZoneProxies(t *testing.T) {
	t.Parallel()
	zoneProxy := func(kind string) string {
		return fmt.Sprintf("{type: Dataplane, mesh: shop, name: zone-proxy-%s, networking: {address: 10.0.0.9, listeners: [{type: %s, address: 10.0.0.9, port: 10002, name: zone}]}}", strings.ToLower(kind), kind)
	}
	for _, c := range matrixOf(t, access.Filter{}, append(shop(t), zoneProxy(kuma.ListenerEgress), zoneProxy(kuma.ListenerIngress))...).Clients {
		if strings.HasPrefix(c.Name, "zone-proxy") {
			t.Errorf("%s is a client", c.Name)
		}
	}
}

// TestMatrixOfTags has services that are only tags, in a mesh without MeshServices.
func TestMatrixOfTags(t *testing.T) {
	t.Parallel()
	got := lines(matrixOf(t, access.Filter{},
		"{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}", allowAll,
		"{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, tags: {kuma.io/service: web}}], outbound: [{port: 1, tags: {kuma.io/service: db}}]}}",
		"{type: Dataplane, mesh: shop, name: db-1, networking: {address: 10.0.0.2, inbound: [{port: 5432, tags: {kuma.io/service: db}}], outbound: [{port: 1, tags: {kuma.io/service: other}}]}}"))
	want := []string{
		"db:5432 from web: reachable true, allowed, MeshTrafficPermission allow-all allows it in from",
		"db:5432 from db: reachable false, allowed, MeshTrafficPermission allow-all allows it in from",
		"web:8080 from db web: reachable false, allowed, MeshTrafficPermission allow-all allows it in from",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMatrixOfPlaintext has clients with a listener for a service that also accepts plaintext, or
// of which only some proxies have a certificate.
func TestMatrixOfPlaintext(t *testing.T) {
	t.Parallel()
	second := "{type: Dataplane, mesh: shop, name: db-2, labels: {app: db, tls: off}, networking: {address: 10.0.0.9, inbound: [{port: 8080, name: http}]}}"
	identityOfOn := testworld.Edited(t, identity, "matchLabels: {}", "matchLabels: {tls: on}")
	secure := testworld.Edited(t, dataplane("db", "10.0.0.2"), "labels: {", "labels: {tls: on, ")
	web := testworld.Edited(t, dataplane("web", "10.0.0.1"), "networking: {", "networking: {outbound: [{port: 9999, backendRef: {kind: MeshService, name: db}}], ")
	for name, tt := range map[string]struct {
		documents []string
		want      map[proxy.Verdict]bool
	}{
		"no certificates":                     {[]string{plainMesh, dataplane("db", "10.0.0.2")}, map[proxy.Verdict]bool{proxy.Unchecked: true}},
		"permissive service":                  {[]string{plainMesh, identityOfOn, permissive, secure}, map[proxy.Verdict]bool{proxy.Plaintext: true}},
		"strict service":                      {[]string{plainMesh, identityOfOn, secure}, map[proxy.Verdict]bool{proxy.NoCertificate: false}},
		"strict proxy beside one without TLS": {[]string{plainMesh, identityOfOn, secure, second}, map[proxy.Verdict]bool{access.Partly: true}},
		"clients with certificates":           {[]string{secureMesh, permissive, allowAll, dataplane("db", "10.0.0.2")}, map[proxy.Verdict]bool{proxy.Allowed: false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[proxy.Verdict]bool{}
			m := matrixOf(t, access.Filter{From: []string{"web"}, To: []string{"db"}}, append(tt.documents, web)...)
			for _, a := range m.Rows[0].Access {
				got[a.Verdict] = a.Plaintext
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if listed := plaintextOfWeb.MatchString(m.Summary()); listed != m.Rows[0].Access[0].Plaintext {
				t.Errorf("plaintext is listed: %t:\n%s", listed, m.Summary())
			}
			if text := m.Summary(); got[access.Partly] && (strings.Contains(text, "web cannot call") || strings.Contains(text, "web can call")) {
				t.Errorf("the client can and cannot call the port:\n%s", text)
			}
		})
	}
}

// TestMatrixOfTooManySubsets checks that there is no matrix if the permissions cannot be computed.
func TestMatrixOfTooManySubsets(t *testing.T) {
	t.Parallel()
	entries := make([]string, 100)
	for i := range entries {
		entries[i] = fmt.Sprintf("{targetRef: {kind: MeshSubset, tags: {k%d: v}}, default: {action: Allow}}", i)
	}
	many := fmt.Sprintf("{type: MeshTrafficPermission, mesh: shop, name: many, spec: {from: [%s]}}", strings.Join(entries, ", "))
	m, err := proxy.New(rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, append(shop(t), many)...)), "shop")
	testworld.NoError(t, err)
	if _, err := access.Of(m, access.Filter{}); !errors.Is(err, rules.ErrTooManySubsets) {
		t.Errorf("got error %v, want %v", err, rules.ErrTooManySubsets)
	}
}

// TestMatrixOfFrozenProxy has a service of which one proxy is not configured.
func TestMatrixOfFrozenProxy(t *testing.T) {
	t.Parallel()
	m := matrixOf(t, access.Filter{From: []string{"web-1"}, To: []string{"pay"}},
		"{type: Mesh, name: shop, meshServices: {mode: Exclusive}}",
		"{type: MeshService, mesh: shop, name: pay, labels: {app: pay}, spec: {selector: {dataplaneLabels: {matchLabels: {app: pay}}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}",
		"{type: Dataplane, mesh: shop, name: pay-1, labels: {app: pay, n: a}, networking: {address: 10.0.0.1, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, name: pay, port: 80}}]}}",
		"{type: Dataplane, mesh: shop, name: pay-2, labels: {app: pay}, networking: {address: 10.0.0.2, inbound: [{port: 8080}]}}",
		"{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.3, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, name: pay, port: 80}}]}}",
		"{type: MeshHTTPRoute, mesh: shop, name: r, spec: {targetRef: {kind: Dataplane, labels: {n: a}}, to: [{targetRef: {kind: MeshService, name: pay}, rules: [{matches: [{}], default: {filters: [{type: RequestRedirect, requestRedirect: {statusCode: 302}}, {type: URLRewrite, urlRewrite: {hostname: x}}]}}]}]}}")
	if summary := m.Summary(); !strings.Contains(m.Table(), "?") || strings.Contains(summary, "refuse") ||
		!strings.Contains(summary, "Whether web-1 can call pay:80 is not known: some of its proxies accept it, and others are not known to: the control plane cannot generate") {
		t.Errorf("%s\n%s", m.Table(), summary)
	}
}

// TestMatrixCombinesProxies has a service of which only one proxy accepts the client.
func TestMatrixCombinesProxies(t *testing.T) {
	t.Parallel()
	documents := append(shop(t),
		"{type: Dataplane, mesh: shop, name: payments-2, labels: {app: payments, version: two}, networking: {address: 10.0.0.9, inbound: [{port: 8080, name: http, tags: {kuma.io/service: payments}}], outbound: [{port: 9998, backendRef: {kind: MeshService, name: frontend}}]}}",
		`{type: MeshTrafficPermission, mesh: shop, name: two, spec: {targetRef: {kind: Dataplane, labels: {version: two}}, rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop/frontend"}}]}}]}}`)
	got := lines(matrixOf(t, access.Filter{From: []string{"frontend"}, To: []string{"payments"}}, documents...))
	if diff := cmp.Diff([]string{"payments:80 from frontend: reachable true, partly, some of its proxies refuse it: no permission allows it"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	m := matrixOf(t, access.Filter{}, shop(t)...)
	want := `port         checkout  frontend  payments
checkout:80  -         yes       -
frontend:80  NO        -         NO
payments:80  (yes)     NO        -
`
	if diff := cmp.Diff(want, m.Table()); diff != "" {
		t.Error(diff)
	}
	want = `Mesh shop: 3 clients, 3 ports of services.

Refused, although the client has a listener:
checkout and payments cannot call frontend:80: no permission allows it
frontend cannot call payments:80: no permission allows it

Allowed, but the proxy of the client has no listener for the service:
checkout may call payments:80: MeshTrafficPermission to-payments allows spiffe://shop/checkout*

Allowed:
frontend can call checkout:80: MeshTrafficPermission to-checkout allows spiffe://shop/frontend*
`
	if diff := cmp.Diff(want, m.Summary()); diff != "" {
		t.Error(diff)
	}
}

// TestClientsWithSeveralAnswers has proxies of one service, of which one has another identity.
func TestClientsWithSeveralAnswers(t *testing.T) {
	t.Parallel()
	documents := append(shop(t), testworld.Edited(t, identity, "matchLabels: {}", "matchLabels: {version: two}"),
		"{type: Dataplane, mesh: shop, name: frontend-2, labels: {app: frontend, version: two}, networking: {address: 10.0.0.9, inbound: [{port: 8080, name: http, tags: {kuma.io/service: frontend}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}")
	got := lines(matrixOf(t, access.Filter{From: []string{"frontend"}, To: []string{"checkout"}}, documents...))
	want := []string{
		"checkout:80 from frontend (frontend-2): reachable true, denied, no permission allows it",
		"checkout:80 from frontend (frontend-1): reachable true, allowed, MeshTrafficPermission to-checkout allows spiffe://shop/frontend*",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

var plaintextOfWeb = regexp.MustCompile(`llowed, in plaintext[^\n]*:\nweb can (partly )?call db:80: `)

package access_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
)

// TestLegend explains the cells of a table, and no others.
func TestLegend(t *testing.T) {
	t.Parallel()
	const want = "Rows are ports of services.\n" +
		"Columns are clients, by the services that they provide:\n" +
		"yes    the client can call the port\n" +
		"(yes)  the client is allowed, but its proxy has no listener for the port\n\n"
	if got := access.Legend("port      NO     web\napi:80    (yes)  yes\nand 1 more ports\n"); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := access.Legend(""); got != "" {
		t.Errorf("a legend of nothing:\n%s", got)
	}
}

// TestSummaryRepeatsNoReason denies two clients by their own identifiers at all ports, of which one has another answer for a third client.
func TestSummaryRepeatsNoReason(t *testing.T) {
	t.Parallel()
	documents := []string{
		secureMesh,
		"{type: MeshTrafficPermission, mesh: shop, name: some, spec: {rules: [{default: {deny: [{spiffeID: {type: Prefix, value: spiffe://shop/a}}, {spiffeID: {type: Prefix, value: spiffe://shop/b}}]}}]}}",
		"{type: MeshTrafficPermission, mesh: shop, name: all, spec: {targetRef: {kind: Dataplane, labels: {app: a}}, rules: [{default: {allow: [{spiffeID: {type: Prefix, value: spiffe://shop/c}}]}}]}}",
	}
	for i, name := range []string{"a", "b", "c"} {
		documents = append(documents, strings.Replace(dataplane(name, fmt.Sprintf("10.0.0.%d", i+1)), "networking: {",
			"networking: {transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}, ", 1))
	}
	want := `
Refused, although the client has a listener:
a and b cannot call a:80, b:80 and c:80: MeshTrafficPermission some denies their SPIFFE IDs
c cannot call b:80 and c:80: no permission allows it

Allowed:
c can call a:80: MeshTrafficPermission all allows spiffe://shop/c*
`
	if got := matrixOf(t, access.Filter{}, documents...).Summary(); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s", got)
	}
}

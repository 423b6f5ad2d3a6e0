package access_test

import (
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

package upgrade_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade/upgradetest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOldStyle checks the report and the proof of a mesh of more than 100 documents.
func TestOldStyle(t *testing.T) {
	t.Parallel()
	documents := testworld.Resources(t, testworld.OldStyle(t, "shop"))
	if len(documents) < 100 {
		t.Errorf("only %d documents", len(documents))
	}
	result := upgradetest.CheckInvariants(t, documents, zone)
	testworld.Want(t, "testdata/old-style-report.txt", text(result))
	report := result.Report.String()
	t.Run("the report begins with what is most dangerous", func(t *testing.T) {
		manual := result.Report.Of(upgrade.Manual)
		if len(manual) < 5 {
			t.Fatalf("%d items", len(manual))
		}
		for i, item := range manual[1:] {
			this, _ := kuma3.Find(item.Condition)
			if last, _ := kuma3.Find(manual[i].Condition); item.Condition != "" && this.Effect < last.Effect {
				t.Errorf("%s comes after %s", item, manual[i])
			}
		}
	})
	t.Run("the report has a text once for all places of a kind of document", func(t *testing.T) {
		if n := strings.Count(report, "The route selects builtin gateways"); n != 1 {
			t.Errorf("the same text %d times:\n%s", n, report)
		}
	})
	t.Run("the report of more services has as many lines", func(t *testing.T) {
		if testing.Short() {
			t.Skip("rewriting a larger mesh takes seconds; make test does it")
		}
		larger := rewrite(t, zone, testworld.OldStyleOf(t, "shop", 18)).Report.String()
		if few, many := strings.Count(report, "\n"), strings.Count(larger, "\n"); many > few {
			t.Errorf("%d lines for 12 services, and %d for 18", few, many)
		}
	})
	t.Run("notes have a text once for all places of a document", func(t *testing.T) {
		notes := result.Report.Notes(upgrade.Manual, upgrade.Deferred)
		route := notes[kuma.Key{Type: "MeshHTTPRoute", Mesh: "shop", Name: "cart"}]
		const places = "labels, spec.to[0].rules and spec.to[0].rules[0].default.backendRefs[0]: The route selects"
		if len(route) != 1 || !strings.HasPrefix(route[0], places) {
			t.Errorf("notes about a route: %q", route)
		}
		if gateway := notes[kuma.Key{Type: "MeshGateway", Mesh: "shop", Name: "edge"}]; len(gateway) != 1 || !strings.HasPrefix(gateway[0], `MeshGateway "edge": K3-100.`) {
			t.Errorf("notes about a whole document: %q", gateway)
		}
	})
}

package upgrade_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade/upgradetest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOldStyle checks the report and the proof of a mesh of more than 100 documents.
func TestOldStyle(t *testing.T) {
	t.Parallel()
	documents := testworld.Resources(t, testworld.OldStyle(t, "shop"))
	if len(documents) < 100 {
		t.Errorf("only %d documents", len(documents))
	}
	result := rewrite(t, zone, testworld.OldStyle(t, "shop"))
	testworld.Want(t, "testdata/old-style-report.txt", text(result))
	upgradetest.CheckInvariants(t, documents, zone)
}

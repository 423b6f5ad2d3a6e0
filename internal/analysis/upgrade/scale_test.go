package upgrade_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReportDoesNotGrow checks that a mesh of more services has a report of as many lines.
func TestReportDoesNotGrow(t *testing.T) {
	t.Parallel()
	lines := func(services int) int {
		return strings.Count(rewrite(t, zone, testworld.OldStyleOf(t, "shop", services)).Report.String(), "\n")
	}
	if few, many := lines(12), lines(18); many > few {
		t.Errorf("%d lines for 12 services, and %d for 18", few, many)
	}
}

// TestReportBeginsWithMostDangerous checks the order of what is to be decided.
func TestReportBeginsWithMostDangerous(t *testing.T) {
	t.Parallel()
	effects := map[string]kuma3.Effect{}
	for _, c := range lint.Kuma3Conditions() {
		effects[c.ID] = c.Effect
	}
	manual := rewrite(t, zone, testworld.OldStyle(t, "shop")).Report.Of(upgrade.Manual)
	if len(manual) < 5 {
		t.Fatalf("%d items", len(manual))
	}
	for i, item := range manual[1:] {
		if effects[item.Condition] < effects[manual[i].Condition] {
			t.Errorf("%s comes after %s", item, manual[i])
		}
	}
}

// TestReportDoesNotRepeatTexts checks that a text stands once for all places of a kind of
// document.
func TestReportDoesNotRepeatTexts(t *testing.T) {
	t.Parallel()
	report := rewrite(t, zone, testworld.OldStyle(t, "shop")).Report.String()
	if n := strings.Count(report, "The route selects builtin gateways"); n != 1 {
		t.Errorf("the same text %d times:\n%s", n, report)
	}
}

// TestReportOfLargeMesh prints what it takes to rewrite a mesh of 2,000 policies, and the size of
// the report.
func TestReportOfLargeMesh(t *testing.T) {
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes seconds; `make scale` sets KUMA_SCALE")
	}
	const services, most, limit = 333, 100, time.Minute
	documents := testworld.Resources(t, testworld.OldStyleOf(t, "shop", services))
	begin := time.Now()
	result, err := upgrade.Rewrite(documents, zone)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	report, proof := result.Report.String(), result.Proof.String()
	t.Logf("%d documents rewritten within %.0f s, with %d MB: %d items; report of %d lines, %d kB; proof of %d lines, %d kB", len(documents), took.Seconds(), m.Sys>>20,
		len(result.Report), strings.Count(report, "\n"), len(report)>>10, strings.Count(proof, "\n"), len(proof)>>10)
	if took > limit {
		t.Errorf("took %s, want at most %s", took, limit)
	}
	if n := strings.Count(report, "\n"); n > most {
		t.Errorf("the report has %d lines, want at most %d", n, most)
	}
}

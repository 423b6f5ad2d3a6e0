package upgrade_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

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

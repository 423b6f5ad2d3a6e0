//go:build unix

package upgrade_test

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReportOfLargeMesh prints what it takes to rewrite meshes of 2,000 and 10,000 policies, and the
// size of the report.
func TestReportOfLargeMesh(t *testing.T) { //nolint:paralleltest // it measures the process
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes a minute; `make scale` sets KUMA_SCALE")
	}
	generated := testworld.Large(testworld.Size{Policies: 10_000, Services: 2_000, Dataplanes: 200})
	generated[0].Body = map[string]any{"meshServices": map[string]any{"mode": "Exclusive"}}
	for name, tt := range map[string]struct {
		documents []kuma.Resource
		limit     time.Duration // of the processor time
	}{
		"old style": {testworld.Resources(t, testworld.OldStyleOf(t, "shop", 333)), 20 * time.Second},
		"generated": {generated, 50 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			const most = 100
			begin := processorTime(t)
			result, err := upgrade.Rewrite(tt.documents, zone)
			testworld.NoError(t, err)
			took := processorTime(t) - begin
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			report, proof := result.Report.String(), result.Proof.String()
			t.Logf("%d documents rewritten within %.0f s of processor time, with %d MB: %d items; report of %d lines, %d kB; proof of %d lines, %d kB", len(tt.documents), took.Seconds(), m.Sys>>20,
				len(result.Report), strings.Count(report, "\n"), len(report)>>10, strings.Count(proof, "\n"), len(proof)>>10)
			if took > tt.limit {
				t.Errorf("took %s, want at most %s", took, tt.limit)
			}
			if n := strings.Count(report, "\n"); n > most {
				t.Errorf("the report has %d lines, want at most %d", n, most)
			}
		})
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	testworld.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

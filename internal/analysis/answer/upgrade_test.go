package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReportHasALimit checks that the list of a report ends after 1,500 items, those to decide first, and
// that the text counts all of them.
func TestReportHasALimit(t *testing.T) {
	t.Parallel()
	const policies, limit = 1600, 1500
	var text strings.Builder
	text.WriteString("{type: Mesh, name: default, meshServices: {mode: Exclusive}}\n")
	for i := range policies {
		fmt.Fprintf(&text, "---\n{type: MeshTimeout, name: t-%d, spec: {targetRef: {kind: Mesh}, from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}\n", i)
	}
	for i := range policies {
		fmt.Fprintf(&text, "---\n{type: MeshService, name: s-%d, spec: {selector: {dataplaneTags: {a: b-%d}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}\n", i, i)
	}
	text.WriteString("---\n{type: MeshTimeout, name: manual, spec: {targetRef: {kind: MeshSubset, tags: {a: b}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}\n")
	got, err := answer.OfUpgrade(testworld.Resources(t, text.String()), upgrade.Options{InitialPolicies: true}, upgrade.Checks{})
	testworld.NoError(t, err)
	if len(got.Report) != limit || got.Omitted < policies-limit {
		t.Errorf("%d items, and %d are left out; want %d, and at least %d", len(got.Report), got.Omitted, limit, policies-limit)
	}
	if first := got.Report[0]; first.Action != "manual" {
		t.Errorf("the first item is %+v, want one to decide", first)
	}
	if want := "- MeshService spec.selector.dataplaneTags, K3-060: the same with other values, 1580 times.\n"; !strings.Contains(got.ReportText, want) {
		t.Errorf("the text does not contain %q", want)
	}
	all := 0
	for line := range strings.Lines(got.ReportText) {
		action, n := "", 0
		if _, err := fmt.Sscanf(line, "%s (%d):", &action, &n); err == nil {
			all += n
		}
	}
	if all != len(got.Report)+got.Omitted {
		t.Errorf("the text counts %d items, want %d", all, len(got.Report)+got.Omitted)
	}
	if short := got.ReportText; len(short) > 10_000 {
		t.Errorf("the text has %d bytes:\n%s", len(short), short)
	}
	if small, err := answer.OfUpgrade(testworld.Resources(t, "{type: Mesh, name: default}"), upgrade.Options{}, upgrade.Checks{}); err != nil || small.Omitted != 0 {
		t.Errorf("a report without items left out says %d, %v", small.Omitted, err)
	}
}

package managed

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// TestReasonOfARejection checks that a reason that is a sentence has one full stop.
func TestReasonOfARejection(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"must be set", "must be set."} {
		var diags diag.Diagnostics
		reportFailure(&diags, kinds.MeshTimeout, "Cannot write the resource", &controlplane.InvalidError{Violations: []controlplane.Violation{{Field: "spec.to", Reason: reason}}})
		const want = "The control plane rejected spec.to: must be set."
		if len(diags) != 1 || diags[0].Detail() != want {
			t.Errorf("%q gives %v, want %q", reason, diags, want)
		}
	}
}

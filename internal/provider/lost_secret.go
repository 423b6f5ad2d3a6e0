package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// warnOfLostSecrets points out sensitive values in the state that a configuration
// leaves out. It looks at the configuration because a plan has no write-only
// values.
func warnOfLostSecrets(k def.Kind, state, config tftypes.Value, diags *diag.Diagnostics) {
	if state.IsNull() {
		return
	}
	stored, err := tfvalue.Encode(k, state)
	if err != nil {
		diags.AddError("Unreadable state", phrase.Sentence(err))
		return
	}
	if doc, err := tfvalue.Encode(k, config); err == nil { // validated before
		report(diags, k, k.LostSecrets(stored, doc))
	}
}

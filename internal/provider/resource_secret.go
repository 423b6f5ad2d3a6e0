package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// checkSecrets reports secrets that are given in more than one way.
func checkSecrets(k def.Kind, config tftypes.Value, diags *diag.Diagnostics) {
	values, err := tfvalue.Attributes(config)
	if err != nil {
		return // reported where it is encoded
	}
	set := func(name string) bool {
		v, ok := values[name]
		return ok && !v.IsNull()
	}
	for _, name := range tfschema.SecretNames(k) {
		var given []string
		for _, suffix := range []string{"", tfschema.SuffixBase64, tfschema.SuffixWriteOnly} {
			if set(name + suffix) {
				given = append(given, name+suffix)
			}
		}
		if len(given) > 1 {
			diags.AddAttributeError(path.Root(given[1]), "The secret is given twice",
				phrase.And(given...)+" are set, and each of them is the whole value. Keep one of them.")
		}
		writeOnly, version := name+tfschema.SuffixWriteOnly, name+tfschema.SuffixVersion
		if set(writeOnly) != set(version) {
			diags.AddAttributeError(path.Root(version), "Write-only value and version go together",
				"Only a new "+version+" writes "+writeOnly+" again. Set both, such as "+version+" = 1, or none.")
		}
	}
}

// warnOfLostSecrets points out sensitive values in the state that a configuration
// leaves out. It looks at the configuration because a plan has no write-only
// values.
func warnOfLostSecrets(k def.Kind, state, config tftypes.Value, diags *diag.Diagnostics) {
	if state.IsNull() || !k.HoldsSecrets() {
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

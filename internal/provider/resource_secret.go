package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// checkSecrets reports secrets that are set in more than one way.
func checkSecrets(k def.Kind, config tftypes.Value, diags *diag.Diagnostics) {
	values, err := tfvalue.Attributes(config)
	if err != nil {
		return // reported by the encoding
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
			// Not on an attribute: Terraform would print the line with the value.
			diags.AddError("Conflicting arguments",
				phrase.And(given...)+" conflict with each other, because each of them sets the secret. Set only one of them.")
		}
		writeOnly, version := name+tfschema.SuffixWriteOnly, name+tfschema.SuffixVersion
		if set(writeOnly) != set(version) {
			diags.AddAttributeError(path.Root(version), "Missing write-only value or version",
				writeOnly+" and "+version+" must be set together: a change of "+version+" writes the value again. Set both, such as "+version+" = 1, or neither.")
		}
	}
}

// keepOmittedSecrets plans the sensitive values that the state has and a configuration
// omits.
func keepOmittedSecrets(k def.Kind, values plannedValues, state tftypes.Value, config map[string]tftypes.Value) error {
	if !def.HasSensitive(k.Root()) {
		return nil
	}
	if err := tfvalue.PlanOmittedSecrets(k, values.attributes, config, nil, nil); err != nil || state.IsNull() {
		return err
	}
	stored, err := tfvalue.Encode(k, state)
	if err != nil {
		return err
	}
	doc, err := tfvalue.Encode(k, values.value())
	if err != nil {
		return err
	}
	kept, _ := k.OmittedSecrets(stored, doc)
	return tfvalue.PlanOmittedSecrets(k, values.attributes, config, stored, kept)
}

// omittedSecrets returns the problems of a planned document that omits a sensitive value,
// which the validation of the configuration assumed to be stored: the value is lost, or
// there is none. stored is the zero value for a new resource.
func omittedSecrets(k def.Kind, planned map[string]any, stored kuma.Resource) []def.Problem {
	if planned == nil || !def.HasSensitive(k.Root()) {
		return nil
	}
	var lost []def.Problem
	if stored.Name != "" {
		_, lost = k.OmittedSecrets(stored.Document(), planned)
		planned = k.KeepOmittedSecrets(planned, stored.Document())
	}
	return append(lost, slices.DeleteFunc(k.Validate(planned), func(p def.Problem) bool { return p.Warning })...)
}

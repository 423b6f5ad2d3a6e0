package managed

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
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
				writeOnly+" and "+version+" must be set together: a change of "+version+" writes the value again. Set both, such as "+version+
					" = 1, or neither.")
		}
	}
}

// storedSecret returns a resource that is stored with sensitive values, which a
// configuration may omit and which a deletion would lose; false for any other.
func (r resourceClient) storedSecret(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	if !r.kind.HoldsSecrets() || !r.Connected() {
		return kuma.Resource{}, false
	}
	found, exists := r.get(ctx, key, diags)
	if !exists || len(r.kind.SecretFields()) == 0 && len(r.kind.SensitiveFields(found.Document())) == 0 {
		return kuma.Resource{}, false
	}
	return found, true
}

// planReplacement plans that a resource is replaced by one with another key or other
// labels. It records the latter, because such a replacement cannot be written over a
// resource with sensitive values. doc is the new document, as far as it is known.
func (r resourceClient) planReplacement(ctx context.Context, before kuma.Key, doc map[string]any, relabels bool, b configBlock,
	private privateState, diags *diag.Diagnostics,
) {
	r.warnOfProxy(ctx, before, diags)
	if !r.kind.HoldsSecrets() {
		return
	}
	if relabels {
		save(ctx, private, relabelsKey, true, diags)
	}
	r.reportLostSecrets(ctx, before, doc, b, diags)
}

// reportLostSecrets reports sensitive values of a stored resource that a document omits
// and that would be lost if the resource were deleted first.
func (r resourceClient) reportLostSecrets(ctx context.Context, before kuma.Key, doc map[string]any, b configBlock,
	diags *diag.Diagnostics,
) {
	switch {
	case diags.HasError() || doc == nil:
	case len(r.kind.SecretFields()) == 0:
		stored, _ := r.get(ctx, before, diags)
		problems := r.kind.LostSecrets(stored.Document(), doc)
		if r.document {
			report.Document(diags, b.at, problems)
		} else {
			report.Problems(diags, r.kind, problems)
		}
	case r.Resources().OmitsSecret(kuma.Resource{Body: doc}):
		b.reportMissingSecret(
			fmt.Sprintf("The plan deletes %s and creates it with another name, mesh or label. "+
				"The configuration does not set the value, so it would be lost. "+
				"Keep the name, the mesh and the labels that cannot be changed, or set the value.", before), r.kind, diags)
	}
}

// planSecret plans the creation of a resource with sensitive values. It reports a secret
// without a value; a replacement with the same key is written over the stored version,
// which is not deleted first. res is nil while the plan does not know all of it.
func (r resourceClient) planSecret(ctx context.Context, key kuma.Key, res *kuma.Resource, b configBlock, private privateState,
	diags *diag.Diagnostics,
) {
	if !r.kind.HoldsSecrets() || diags.HasError() {
		return
	}
	found, exists := r.storedSecret(ctx, key, diags)
	var marked bool // in the first half of the plan of a replacement
	relabels := saved(ctx, private, relabelsKey, &marked, diags) ||
		exists && res != nil && r.immutableChanges(key, nil, res.Labels, found.Labels) != nil
	switch {
	case diags.HasError():
	case exists && relabels && res != nil: // also of a tainted resource
		r.reportLostSecrets(ctx, key, res.Document(), b, diags)
	case exists && !relabels:
		save(ctx, private, overwritesKey, key, diags)
	case !exists && res != nil && r.Resources().OmitsSecret(*res):
		b.reportMissingSecret(newSecretDetail(key), r.kind, diags)
	}
}

// newSecretDetail says that a new secret has no value.
func newSecretDetail(key kuma.Key) string {
	return fmt.Sprintf("%s does not exist, and the configuration does not set its value, so an empty secret would be created. Set the value.",
		key)
}

// reportMissingSecret reports that a configuration does not set a secret, and how to
// set it.
func (b configBlock) reportMissingSecret(detail string, k def.Kind, diags *diag.Diagnostics) {
	name := tfschema.SecretNames(k)[0]
	at, how := path.Root(name), fmt.Sprintf(
		"%[1]s is the value as a string, %[1]s_base64 the value in base64, and %[1]s_wo a write-only value.", name)
	if b.typeName == configuration.ManifestType {
		at, how = b.at, name+" in the manifest is the value in base64."
	}
	diags.AddAttributeError(at, "Missing secret value", fmt.Sprintf("%s %s For an empty secret, set %s = \"\".", detail, how, name))
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
// there is none. stored is the zero value for a new resource, unless it has the name of a
// [resourceClient.storedSecret], over which it is written.
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

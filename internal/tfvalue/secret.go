package tfvalue

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// encodeSecret returns the field on the wire, nil when none of its attributes is
// set.
func encodeSecret(name string, values map[string]tftypes.Value) (any, error) {
	for _, suffix := range []string{"", tfschema.SuffixWriteOnly, tfschema.SuffixBase64} {
		v, ok := values[name+suffix]
		if !ok || v.IsNull() {
			continue
		}
		if !v.IsKnown() {
			return tree.Unknown, nil
		}
		var text string
		if err := v.As(&text); err != nil {
			return nil, err
		}
		if suffix != tfschema.SuffixBase64 {
			text = base64.StdEncoding.EncodeToString([]byte(text))
		}
		return text, nil
	}
	return nil, nil
}

// decodeSecret returns the attributes of a secret field by name. A write-only
// value is null, and one that is not valid UTF-8 is returned in base64.
func (d decoder) decodeSecret(name string, t tftypes.Object, wire any, priors map[string]tftypes.Value) map[string]tftypes.Value {
	out := map[string]tftypes.Value{}
	for _, suffix := range []string{"", tfschema.SuffixBase64, tfschema.SuffixWriteOnly, tfschema.SuffixVersion} {
		if at, ok := t.AttributeTypes[name+suffix]; ok {
			out[name+suffix] = tftypes.NewValue(at, nil)
		}
	}
	if version := priors[name+tfschema.SuffixVersion]; version.Type() != nil && !version.IsNull() {
		out[name+tfschema.SuffixVersion] = version
		return out
	}
	stored, given := wire.(string)
	if given && stored == "" { // of a document: control planes leave it out
		out[name] = tftypes.NewValue(tftypes.String, "")
		return out
	}
	if before, err := encodeSecret(name, priors); err == nil && before != nil && def.SameScalar(def.Base64, before, stored) {
		out[name], out[name+tfschema.SuffixBase64] = priors[name], priors[name+tfschema.SuffixBase64]
		return out
	}
	data, err := base64.StdEncoding.DecodeString(stored)
	had := priors[name+tfschema.SuffixBase64]
	isText := err == nil && utf8.Valid(data)
	if stored != "" && isText && (d.all || had.Type() == nil || had.IsNull()) {
		out[name] = tftypes.NewValue(tftypes.String, string(data))
	}
	if stored != "" && (d.all || out[name].IsNull()) {
		out[name+tfschema.SuffixBase64] = tftypes.NewValue(tftypes.String, stored)
	}
	return out
}

// HideSecrets removes from the attributes of a resource the sensitive values that are
// not in the state: the configuration does not set them, or they are imported.
func HideSecrets(k def.Kind, values map[string]tftypes.Value, state tftypes.Value) error {
	priors, err := Attributes(state)
	if err != nil {
		return err
	}
	for _, name := range tfschema.SecretNames(k) {
		if before, err := encodeSecret(name, priors); err != nil || before != nil {
			continue
		}
		for _, suffix := range []string{"", tfschema.SuffixBase64} {
			values[name+suffix] = tftypes.NewValue(tftypes.String, nil)
		}
	}
	return editSensitive(k, values, priors, func(tree.Path) string { return "" })
}

// WithWriteOnly returns a plan with the values that only the configuration has.
func WithWriteOnly(k def.Kind, plan, config tftypes.Value) (tftypes.Value, error) {
	values, err := Attributes(plan)
	if err != nil {
		return plan, err
	}
	configured, err := Attributes(config)
	if err != nil {
		return plan, err
	}
	for _, name := range tfschema.SecretNames(k) {
		if v, ok := configured[name+tfschema.SuffixWriteOnly]; ok {
			values[name+tfschema.SuffixWriteOnly] = v
		}
	}
	return tftypes.NewValue(plan.Type(), values), nil
}

// WrittenSecrets returns the wire names of the secret fields that have already
// been written: their version equals the version in the state.
func WrittenSecrets(k def.Kind, plan, state tftypes.Value) []string {
	planned, errPlan := Attributes(plan)
	before, errState := Attributes(state)
	if errPlan != nil || errState != nil {
		return nil // the plan was read before
	}
	var names []string
	for _, f := range k.SecretFields() {
		version := tfschema.AttributeName(f.Name) + tfschema.SuffixVersion
		if !planned[version].IsNull() && planned[version].Equal(before[version]) {
			names = append(names, f.Name)
		}
	}
	return names
}

// WritesOnly reports whether a plan has a write-only value.
func WritesOnly(k def.Kind, plan tftypes.Value) bool {
	values, err := Attributes(plan)
	return err == nil &&
		slices.ContainsFunc(tfschema.SecretNames(k), func(name string) bool { return !values[name+tfschema.SuffixVersion].IsNull() })
}

package provider

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// A secret member is given as text, as bytes in base64, or as text that is
// written and never kept, with a version that says when to write it again.
// These are the attributes beside the one that is called like the member.
const (
	suffixBase64    = "_base64"
	suffixWriteOnly = "_wo"
	suffixVersion   = "_wo_version"
)

func secretAttributes(f def.Field, name string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		name: schema.StringAttribute{
			Optional: true, Sensitive: true,
			MarkdownDescription: f.Doc + " Given as plain text, and kept in the state. Without `" + name + "`, `" + name + suffixBase64 + "` and `" + name + suffixWriteOnly + "` the stored value stays as it is; an empty string clears it.",
		},
		name + suffixBase64: schema.StringAttribute{
			Optional: true, Sensitive: true,
			MarkdownDescription: "The same value encoded in base64, for binary data, such as the result of `filebase64`.",
		},
		name + suffixWriteOnly: schema.StringAttribute{
			Optional: true, Sensitive: true, WriteOnly: true,
			MarkdownDescription: "The same as plain text that is neither in the plan nor in the state, for values from ephemeral resources. " +
				"It is written when `" + name + suffixVersion + "` changes; changes by others are not noticed.",
		},
		name + suffixVersion: schema.NumberAttribute{
			Optional:            true,
			MarkdownDescription: "Version of `" + name + suffixWriteOnly + "`, which goes with it. Another number writes the value again.",
		},
	}
}

// encodeSecret returns the member on the wire, nil when none of its attributes is
// set.
func encodeSecret(name string, values map[string]tftypes.Value) (any, error) {
	for _, suffix := range []string{"", suffixWriteOnly, suffixBase64} {
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
		if suffix != suffixBase64 {
			text = base64.StdEncoding.EncodeToString([]byte(text))
		}
		return text, nil
	}
	return nil, nil
}

// decodeSecret returns the attributes of a secret member by name. A value that is not to be
// kept is not, and one that is no text is given in base64.
func (d decoder) decodeSecret(name string, t tftypes.Object, wire any, priors map[string]tftypes.Value) map[string]tftypes.Value {
	out := map[string]tftypes.Value{}
	for _, suffix := range []string{"", suffixBase64, suffixWriteOnly, suffixVersion} {
		if at, ok := t.AttributeTypes[name+suffix]; ok {
			out[name+suffix] = tftypes.NewValue(at, nil)
		}
	}
	if version := priors[name+suffixVersion]; version.Type() != nil && !version.IsNull() {
		out[name+suffixVersion] = version
		return out
	}
	stored, given := wire.(string)
	if given && stored == "" { // of a document: control planes leave it out
		out[name] = tftypes.NewValue(tftypes.String, "")
		return out
	}
	if before, err := encodeSecret(name, priors); err == nil && before != nil && def.SameScalar(def.Base64, before, stored) {
		out[name], out[name+suffixBase64] = priors[name], priors[name+suffixBase64]
		return out
	}
	data, err := base64.StdEncoding.DecodeString(stored)
	had := priors[name+suffixBase64]
	isText := err == nil && utf8.Valid(data)
	if stored != "" && isText && (d.all || had.Type() == nil || had.IsNull()) {
		out[name] = tftypes.NewValue(tftypes.String, string(data))
	}
	if stored != "" && (d.all || out[name].IsNull()) {
		out[name+suffixBase64] = tftypes.NewValue(tftypes.String, stored)
	}
	return out
}

// hideSecrets removes from the attributes of a resource the secrets that the state
// does not have: the configuration leaves them alone, or they are imported.
func hideSecrets(k def.Kind, values map[string]tftypes.Value, state tftypes.Value) {
	priors, err := members(state)
	if err != nil {
		return // read before
	}
	for _, name := range secretNames(k) {
		if before, err := encodeSecret(name, priors); err != nil || before != nil {
			continue
		}
		for _, suffix := range []string{"", suffixBase64} {
			values[name+suffix] = tftypes.NewValue(tftypes.String, nil)
		}
	}
}

// withWriteOnly returns a plan with the values that only the configuration has.
func withWriteOnly(k def.Kind, plan, config tftypes.Value) (tftypes.Value, error) {
	values, err := members(plan)
	if err != nil {
		return plan, err
	}
	configured, err := members(config)
	if err != nil {
		return plan, err
	}
	for _, name := range secretNames(k) {
		if v, ok := configured[name+suffixWriteOnly]; ok {
			values[name+suffixWriteOnly] = v
		}
	}
	return tftypes.NewValue(plan.Type(), values), nil
}

// writtenSecrets returns the wire names of the secret members that are written
// already: their version is that of the state.
func writtenSecrets(k def.Kind, plan, state tftypes.Value) []string {
	planned, errPlan := members(plan)
	before, errState := members(state)
	if errPlan != nil || errState != nil {
		return nil // the plan was read before
	}
	var names []string
	for _, f := range k.Fields {
		version := def.AttributeName(f.Name) + suffixVersion
		if f.Secret && !planned[version].IsNull() && planned[version].Equal(before[version]) {
			names = append(names, f.Name)
		}
	}
	return names
}

// writesOnly reports whether a plan has a value that is written and not kept.
func writesOnly(k def.Kind, plan tftypes.Value) bool {
	values, err := members(plan)
	return err == nil && slices.ContainsFunc(secretNames(k), func(name string) bool { return !values[name+suffixVersion].IsNull() })
}

// secretMembers returns the secret members of a resource.
func (r remote) secretMembers(res kuma.Resource) map[string]any {
	secrets := map[string]any{}
	for _, f := range r.kind.Fields {
		if value, ok := res.Body[f.Name]; ok && f.Secret {
			secrets[f.Name] = value
		}
	}
	return secrets
}

// withSecrets returns a resource with the secrets that it leaves alone: those of
// the stored one, or of the one that it replaces.
func withSecrets(res kuma.Resource, secrets map[string]any) kuma.Resource {
	res = res.Clone()
	for name, value := range secrets {
		if res.Body[name] == nil {
			res.Body[name] = value
		}
	}
	return res
}

// secretNames returns the attribute names of the secret members of a kind.
func secretNames(k def.Kind) []string {
	var names []string
	for _, f := range k.Fields {
		if f.Secret {
			names = append(names, def.AttributeName(f.Name))
		}
	}
	return names
}

// checkSecrets reports secrets that are given in more than one way.
func checkSecrets(k def.Kind, config tftypes.Value, diags *diag.Diagnostics) {
	values, err := members(config)
	if err != nil {
		return // reported where it is encoded
	}
	set := func(name string) bool {
		v, ok := values[name]
		return ok && !v.IsNull()
	}
	for _, name := range secretNames(k) {
		var given []string
		for _, suffix := range []string{"", suffixBase64, suffixWriteOnly} {
			if set(name + suffix) {
				given = append(given, name+suffix)
			}
		}
		if len(given) > 1 {
			diags.AddAttributeError(path.Root(given[1]), "The secret is given twice",
				phrase.And(given...)+" are set, and each of them is the whole value. Keep one of them.")
		}
		writeOnly, version := name+suffixWriteOnly, name+suffixVersion
		if set(writeOnly) != set(version) {
			diags.AddAttributeError(path.Root(version), "Write-only value and version go together",
				"Only a new "+version+" writes "+writeOnly+" again. Set both, such as "+version+" = 1, or none.")
		}
	}
}

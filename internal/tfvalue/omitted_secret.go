package tfvalue

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// PlanOmittedSecrets sets the sensitive arguments of a plan that the
// configuration omits: to the values of the stored document at the paths in
// kept, and to null elsewhere.
func PlanOmittedSecrets(k def.Kind, plan, config map[string]tftypes.Value, stored map[string]any, kept []tree.Path) error {
	return editSensitive(k, plan, config, func(at tree.Path) string {
		if slices.ContainsFunc(kept, func(k tree.Path) bool { return tree.ComparePaths(k, at) == 0 }) {
			return tree.Text(tree.At(stored, at))
		}
		return ""
	})
}

// editSensitive replaces sensitive strings that are null in another state of a resource, by null for an empty one.
func editSensitive(k def.Kind, values, others map[string]tftypes.Value, by func(tree.Path) string) error {
	if !def.HasSensitive(k.Root()) {
		return nil
	}
	return edit(func(f def.Field, _ def.Type, at tree.Path, v, other tftypes.Value) (tftypes.Value, error) {
		if f.Sensitive && other.IsNull() {
			return StringOrNull(by(at)), nil
		}
		return v, nil
	}).fields(k.Root(), nil, values, others)
}

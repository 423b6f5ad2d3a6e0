package managed

import (
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// unsetLabels returns the labels to plan when the configuration has none. After an
// import they are an empty map, which means the same.
func unsetLabels(state tftypes.Value) tftypes.Value {
	none := tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, nil)
	if labels, err := tfvalue.Attributes(tfvalue.OrNull(state, none.Type())); err == nil && len(labels) == 0 {
		return tfvalue.OrNull(state, none.Type())
	}
	return none
}

// keepEqualLabels keeps the labels of the state in the plan if both are stored the
// same: a configuration may set labels that an import leaves to the control plane.
// Terraform accepts that if both set any. It reports whether it kept them. It plans a
// display name that the state lacks, because references of other resources use it.
func keepEqualLabels(plan, state map[string]tftypes.Value, stored kuma.Resource, release kuma.Release) (kept bool) {
	wanted, err := labelsOf(plan["labels"])
	if err != nil || plan["labels"].IsNull() || state["labels"].IsNull() || !plan["labels"].IsFullyKnown() {
		return false
	}
	had, err := labelsOf(state["labels"])
	named := wanted[kuma.LabelDisplayName] == "" || wanted[kuma.LabelDisplayName] == had[kuma.LabelDisplayName]
	if err != nil || !named || !maps.Equal(store.WithServerLabels(wanted, stored.Labels, release), stored.Labels) {
		return false
	}
	plan["labels"] = state["labels"]
	return true
}

// immutableChanges returns the labels that the plan changes or removes although a
// stored resource keeps them, so that it must be replaced. An import omits those that
// the configuration does not set, so omitting them changes nothing. Neither does omitting a label
// with the value that it has by itself: what the control plane computes, or the name.
func (r resourceClient) immutableChanges(key kuma.Key, state, planned, stored map[string]string) []string {
	own := r.kind.Labels(kuma.Resource{Type: key.Type, Mesh: key.Mesh, Name: key.Name}, r.cp.Capabilities().ControlPlane)
	own[kuma.LabelDisplayName] = key.Name
	var keys []string
	for _, key := range kuma.ImmutableLabels() {
		before, had := state[key]
		after, has := planned[key]
		is, stays := stored[key]
		if had && has && before != after || had && !has && before != own[key] || has && stays && is != after {
			keys = append(keys, key)
		}
	}
	if r.kind.LabelsFixed.Contain(r.cp.Capabilities().ControlPlane.Release) {
		keys = append(keys, userChanges(state, planned)...)
		keys = append(keys, userChanges(stored, planned)...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// immutableFields returns the paths of fields that a stored resource keeps although the
// planned document changes them, so that it must be replaced.
func (r resourceClient) immutableFields(stored kuma.Resource, planned map[string]any) []tree.Path {
	return r.kind.ImmutableFields(stored.Body, planned, r.cp.Capabilities().ControlPlane.Release)
}

// userChanges returns the labels in which two sets differ, except for those that the
// control plane adds; none when the first set is not known.
func userChanges(before, after map[string]string) []string {
	if before == nil {
		return nil
	}
	var keys []string
	for key := range before {
		if _, kept := after[key]; !kept && !kuma.ServerLabel(key) {
			keys = append(keys, key)
		}
	}
	for key, value := range after {
		if was, had := before[key]; !had && !kuma.ServerLabel(key) || had && was != value {
			keys = append(keys, key)
		}
	}
	return keys
}

// labelsOf returns the known labels of the attribute labels.
func labelsOf(v tftypes.Value) (map[string]string, error) {
	values, err := tfvalue.Attributes(v)
	labels := make(map[string]string, len(values))
	for key, value := range values {
		if value.IsKnown() && !value.IsNull() {
			var text string
			err = errors.Join(err, value.As(&text))
			labels[key] = text
		}
	}
	return labels, err
}

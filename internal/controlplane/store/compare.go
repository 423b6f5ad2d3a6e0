package store

import (
	"maps"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// UpToDate reports whether writing a resource over what is stored would change
// nothing.
func (r Resources) UpToDate(res, stored kuma.Resource) bool {
	if !Described(r.kind) {
		return tree.Equal(res.Document(), stored.Document())
	}
	next, _ := r.merge(res, stored)
	next, current := r.normal(next), r.normal(stored)
	return tree.Equal(next.Body, current.Body) && maps.Equal(next.Labels, current.Labels)
}

// wasWritten reports whether what is stored may be what a write of sent made of
// it. How the control plane completes a kind that is not described is not known.
func (r Resources) wasWritten(sent, stored kuma.Resource) bool {
	if Described(r.kind) {
		return r.UpToDate(sent, stored)
	}
	return Contains(stored.Document(), sent.Document())
}

// merge returns what to write over a stored resource: res, with what the control
// plane wrote by itself, with the labels that it computed or that cannot be
// removed, with secrets that res leaves alone, and with what a later release
// stored. It returns the paths of what has no place in res and would be lost as
// well.
func (r Resources) merge(res, stored kuma.Resource) (_ kuma.Resource, lost []tree.Path) {
	res = WithSecrets(res, r.Secrets(stored)).Clone()
	if !Described(r.kind) {
		return res, nil
	}
	r.kind.KeepServerOwned(&res, stored)
	res.Labels = WithServerLabels(res.Labels, stored.Labels)
	return res, r.kind.KeepUnknown(&res, stored, !r.whole)
}

// WithServerLabels returns the labels of a resource that is written over a stored
// one, with those that the control plane keeps.
func WithServerLabels(labels, stored map[string]string) map[string]string {
	for key, value := range stored {
		if kuma.ServerLabel(key) {
			labels = withDefault(labels, key, value)
		}
	}
	return labels
}

// LabelsAfter predicts the labels of a resource that is written over a stored one,
// or over none if that is the zero value.
func (r Resources) LabelsAfter(res, stored kuma.Resource) map[string]string {
	if Described(r.kind) {
		res.Labels = WithServerLabels(res.Labels, stored.Labels)
	}
	return r.kind.Labels(res, r.store.ControlPlane)
}

// normal returns a resource in one spelling of what the control plane stores, with
// members that the description of the kind does not have.
func (r Resources) normal(res kuma.Resource) kuma.Resource {
	out := r.kind.Normalise(res, def.StoreContext{ControlPlane: r.store.ControlPlane})
	r.kind.KeepUnknown(&out, res, true)
	return out
}

// UnknownMembers returns the paths of what a later release stored.
func (r Resources) UnknownMembers(stored kuma.Resource) []tree.Path {
	if !Described(r.kind) {
		return nil
	}
	var paths []tree.Path
	for _, p := range r.kind.UnknownMembers(stored) {
		paths = append(paths, p.Path)
	}
	return paths
}

// Contains reports whether a decoded tree has all that another one has.
func Contains(decoded, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		m, ok := decoded.(map[string]any)
		for name, v := range part {
			ok = ok && Contains(m[name], v)
		}
		return ok
	case []any:
		list, ok := decoded.([]any)
		ok = ok && len(list) == len(part)
		for i := range part {
			ok = ok && Contains(list[i], part[i])
		}
		return ok
	default:
		return tree.Equal(decoded, part)
	}
}

// withDefault returns labels that have a key, with the value if they did not. The
// map is not modified.
func withDefault(labels map[string]string, key, value string) map[string]string {
	if _, ok := labels[key]; ok {
		return labels
	}
	labels = maps.Clone(labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	return labels
}

package provider

import (
	"fmt"
	"maps"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// wrote reports whether what is stored may be what a write of sent made of it. How
// the control plane completes a kind that is not described is not known.
func (r remote) wrote(sent, stored kuma.Resource) bool {
	if described(r.kind) {
		return r.same(sent, stored)
	}
	return holds(stored.Document(), sent.Document())
}

// same reports whether writing a over what is stored would change nothing.
func (r remote) same(a, stored kuma.Resource) bool {
	if !described(r.kind) {
		return tree.Equal(a.Document(), stored.Document())
	}
	next, _ := r.completed(a, stored)
	next, is := r.normal(next), r.normal(stored)
	return tree.Equal(next.Body, is.Body) && maps.Equal(next.Labels, is.Labels)
}

// completed returns what to write over a stored resource: res, with what the
// control plane wrote by itself, with the labels that it computed or that cannot
// be removed, with secrets that res leaves alone, and with what a later release
// stored. It returns the paths of what
// has no place in res and would be lost as well.
func (r remote) completed(res, stored kuma.Resource) (_ kuma.Resource, lost []tree.Path) {
	res = withSecrets(res, r.secretMembers(stored))
	if !described(r.kind) {
		return res, nil
	}
	r.kind.KeepServerOwned(&res, stored)
	for key, value := range stored.Labels {
		if tfvalue.HiddenLabel(key) {
			res.Labels = withDefault(res.Labels, key, value)
		}
	}
	return res, r.kind.KeepUnknown(&res, stored, !r.document)
}

// immutableChanges returns the labels that the plan changes or removes although a
// stored resource keeps them: it has to be replaced. An import hides what the
// configuration does not set of them, so that leaving them out changes nothing.
func immutableChanges(state, planned, stored map[string]string) []string {
	var keys []string
	for _, key := range kuma.ImmutableLabels() {
		before, had := state[key]
		after, has := planned[key]
		is, stays := stored[key]
		if had && before != after || had && !has || has && stays && is != after {
			keys = append(keys, key)
		}
	}
	return keys
}

// normal returns a resource in one spelling of what the control plane stores, with members that the description of the kind does not have.
func (r remote) normal(res kuma.Resource) kuma.Resource {
	out := r.kind.Normalise(res, def.StoreContext{ControlPlane: r.cp.about})
	r.kind.KeepUnknown(&out, res, true)
	return out
}

// unknownMembers returns the paths of what a later release stored.
func (r remote) unknownMembers(stored kuma.Resource) []tree.Path {
	if !described(r.kind) {
		return nil
	}
	var paths []tree.Path
	for _, p := range r.kind.UnknownMembers(stored) {
		paths = append(paths, p.Path)
	}
	return paths
}

func pathList(paths []tree.Path) string {
	texts := make([]string, len(paths))
	for i, p := range paths {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// unknownDetail is the warning about what a later release stored.
func unknownDetail(key kuma.Key, unknown []tree.Path) string {
	return fmt.Sprintf("The control plane stores fields of %s that this version of the provider does not know: %s. They are not shown as differences, and updates keep them. Upgrade the provider to manage them.", key, pathList(unknown))
}

func lostDetail(key kuma.Key, lost []tree.Path) string {
	return fmt.Sprintf("The control plane stores fields of %s that this version of the provider does not know, in parts that the plan changes or removes, so it is not clear where they belong: %s. "+
		"Nothing was written. Upgrade the provider, remove these fields with another client first, or replace the resource without them: terraform apply -replace=ADDRESS.", key, pathList(lost))
}

package command

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfplan"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// resources returns what the plan writes and deletes. Changes that are not known are findings.
func (r *review) resources() (written []kuma.Resource, deleted map[kuma.Key]bool) {
	deleted = map[kuma.Key]bool{}
	conflicts := r.conflicts()
	for _, c := range r.changes {
		if f, ok := conflicts[c.Address]; ok {
			r.unknown = append(r.unknown, f)
			continue
		}
		before, known := tfplan.Key(c.Before)
		if known && (c.Action == tfplan.Delete || c.Action == tfplan.Replace) {
			deleted[before] = true
		}
		if !c.Changes() || known && c.Action == tfplan.Delete {
			continue
		}
		key, _ := tfplan.Key(c.After)
		resource, why := resourceOf(c.After)
		if c.Unreadable != nil {
			why = phrase.Sentence(c.Unreadable)
		}
		switch {
		case why != "":
			r.unknown = append(r.unknown, answer.Unknown(key, c.Address, why))
		case resource != nil:
			written = append(written, *resource)
		}
	}
	for _, w := range written {
		delete(deleted, w.Key())
	}
	return written, deleted
}

// conflicts returns findings about resources that changes of several addresses write, or write and
// delete, by address: Terraform does not fix the order.
func (r *review) conflicts() map[string]answer.ReviewFinding {
	written, deleted := map[kuma.Key][]string{}, map[kuma.Key][]string{} // addresses
	for _, c := range r.changes {
		before, was := tfplan.Key(c.Before)
		after, is := tfplan.Key(c.After)
		if is && c.Changes() {
			written[after] = append(written[after], c.Address)
		}
		if was && before != after && (c.Action == tfplan.Delete || c.Action == tfplan.Replace) {
			deleted[before] = append(deleted[before], c.Address)
		}
	}
	found := map[string]answer.ReviewFinding{}
	for key, addresses := range written {
		why := "is deleted by " + phrase.And(deleted[key]...) +
			", and Terraform does not fix the order. If that is the same resource, add a moved block."
		switch {
		case len(addresses) > 1:
			why = "is written by " + phrase.And(addresses...) + ", and Terraform does not fix the order. Keep one of them."
		case deleted[key] == nil:
			continue
		}
		for _, address := range append(addresses, deleted[key]...) {
			found[address] = answer.Unknown(key, address, "It "+why)
		}
	}
	return found
}

// blocked returns the resources of a mesh that the apply does not write or delete, because the control
// plane stores another version than when the plan was made. They are findings.
func (r *review) blocked(s *store.Store, stored []kuma.Resource, mesh string) map[kuma.Key]bool {
	blocked := map[kuma.Key]bool{}
	if s == nil {
		return blocked
	}
	now := versions{s, map[kuma.Key]kuma.Resource{}, map[kuma.Key]bool{}}
	for _, found := range stored {
		now.stored[found.Key()] = found
	}
	for _, c := range r.changes {
		if key, known := tfplan.Key(c.Before); known && (c.Action == tfplan.Delete || c.Action == tfplan.Replace) {
			now.deleted[key] = true
		}
	}
	for _, c := range r.changes {
		before, _ := tfplan.Key(c.Before)
		after, _ := tfplan.Key(c.After)
		key, _ := keyOf(c)
		if !c.Changes() || c.Unreadable != nil || !concerns(key, mesh) {
			continue
		}
		if why := now.blocking(c, before, after); why != "" {
			blocked[before], blocked[after] = true, true
			if f := answer.Unknown(key, c.Address, why+" Plan again."); !contains(r.unknown, f) {
				r.unknown = append(r.unknown, f)
			}
		}
	}
	return blocked
}

// versions are the resources that a control plane stores, and the keys of those that a plan deletes.
type versions struct {
	*store.Store
	stored  map[kuma.Key]kuma.Resource
	deleted map[kuma.Key]bool
}

// blocking returns why the apply of a change fails, empty if it does not.
func (v versions) blocking(c tfplan.Change, before, after kuma.Key) string {
	k, _ := kinds.Find(before.Type)
	now, exists := v.stored[before]
	if was, _ := resourceOf(c.Before); c.Before != nil && was != nil && !c.Overwrites {
		const unless = ` The apply fails, unless the provider has concurrent_changes = "overwrite".`
		switch {
		case !exists && c.Action == tfplan.Update:
			return "It was deleted since the plan." + unless
		case exists && !v.Resources(k).UpToDate(*was, now):
			return "It has changed since the plan." + unless
		}
	}
	if other, exists := v.stored[after]; exists && before != after && !v.adopts(c, other) {
		return "It exists, and the plan creates it. The apply fails, unless the provider can adopt it."
	}
	if k.Contains && exists && v.deleted[before] {
		var left []string
		for _, r := range kinds.MeshContents(slices.Collect(maps.Values(v.stored)), now, v.ControlPlane, v.Find) {
			if k, _ := v.Find(r.Type); kinds.BlocksDeletion(k, c.ForceDestroy) && !v.deleted[r.Key()] {
				left = append(left, r.Key().Local())
			}
		}
		if len(left) > 0 {
			slices.Sort(left)
			const most = 5
			return "The mesh contains resources that the plan does not delete: " + phrase.Some(left, most, "resources") +
				". The apply does not delete the mesh."
		}
	}
	return ""
}

// adopts reports whether the apply writes over an existing resource that the plan creates.
func (v versions) adopts(c tfplan.Change, stored kuma.Resource) bool {
	k, _ := kinds.Find(stored.Type)
	planned, _ := resourceOf(c.After)
	of := v.Resources(k)
	return kuma.Generated(stored.Labels) || c.ReplacedVersion != "" && c.ReplacedVersion == of.Fingerprint(stored) ||
		c.Existing == string(connection.ExistingAdopt) && c.Overwrites ||
		c.Existing == string(connection.ExistingAdoptEqual) && planned != nil && of.Differences(stored, *planned) == nil
}

// resourceOf returns the resource of a planned document, nil if no analysis reads its kind, or why it
// is not known.
func resourceOf(doc map[string]any) (resource *kuma.Resource, why string) {
	docs := input.OfKinds(lint.Kinds())
	docs.Reader.Check = document.Envelope
	if err := docs.Value(tree.Object(tree.Clone(doc)), true); err != nil {
		return nil, phrase.Sentence(err)
	}
	if docs.Unknown {
		const most = 5
		return nil, "Known only after the apply: " + phrase.Some(unknownPaths(doc, nil), most, "values") + "."
	}
	for _, r := range docs.Resources() {
		return &r, ""
	}
	return nil, ""
}

// unknownPaths returns the paths of the values that are not known.
func unknownPaths(v any, at tree.Path) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			paths = append(paths, unknownPaths(v[name], at.Child(name))...)
		}
	case []any:
		for i, e := range v {
			paths = append(paths, unknownPaths(e, at.Child(i))...)
		}
	default:
		if v == tree.Unknown {
			paths = append(paths, at.String())
		}
	}
	return paths
}

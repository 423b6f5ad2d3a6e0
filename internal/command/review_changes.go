package command

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
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

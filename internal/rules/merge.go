package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// merge combines the confs of entries, weakest first. The result shares no
// memory with them. It is one conf, except for routes with hostnames.
func (k *kind) merge(entries []entry) []any {
	if k.keyed != "" {
		return k.mergeRoutes(entries)
	}
	confs := make([]any, len(entries))
	for i, e := range entries {
		confs[i] = e.conf
	}
	merged := mergeConfs(confs)
	for _, path := range k.appended {
		concatenate(merged, confs, path)
	}
	return []any{merged}
}

// mergeConfs applies each conf, of which there is at least one, to those before
// it as a merge patch.
func mergeConfs(confs []any) any {
	merged := mesh.CloneValue(confs[0])
	for _, conf := range confs[1:] {
		merged = patch(merged, conf)
	}
	return merged
}

// patch changes base as RFC 7396 says and returns it; the result shares no
// memory with the change. As on the control plane, a list loses the null
// members of its objects when it replaces another (spec/matching.md §9.6).
func patch(base, change any) any {
	switch change := change.(type) {
	case map[string]any:
		merged := object(base)
		if merged == nil {
			merged = make(map[string]any, len(change))
		}
		for k, v := range change {
			if v == nil {
				delete(merged, k)
			} else {
				merged[k] = patch(merged[k], v)
			}
		}
		return merged
	case []any:
		items := make([]any, len(change))
		for i, v := range change {
			items[i] = patch(nil, v)
		}
		return items
	default:
		return change
	}
}

// concatenate sets the list at path to the elements that all confs have there.
// A list that is always empty becomes null, as on the control plane; one that
// no conf has stays absent (spec/matching.md §9.2).
func concatenate(merged any, confs []any, path []string) {
	parents, name := path[:len(path)-1], path[len(path)-1]
	var all []any
	found := false
	for _, conf := range confs {
		if items, ok := descend(conf, parents)[name].([]any); ok {
			found = true
			all = append(all, items...)
		}
	}
	parent := descend(merged, parents)
	if !found || parent == nil {
		return
	}
	if len(all) == 0 {
		parent[name] = nil
		return
	}
	parent[name] = mesh.CloneValue(all)
}

func descend(conf any, path []string) map[string]any {
	m := object(conf)
	for _, name := range path {
		m = object(m[name])
	}
	return m
}

// confType returns the fields of a kind's conf, as far as they are described.
func confType(k spec.Kind) spec.Object {
	if k.Policy.Single {
		return memberOf(k.Fields, "default")
	}
	return memberOf(toType(k), "default")
}

// toType returns the fields of an element of `to`, as far as they are described.
func toType(k spec.Kind) spec.Object {
	to, _ := k.Fields.Field("to")
	items, _ := to.Type.(spec.List)
	item, _ := items.Elem.(spec.Object)
	return item
}

func memberOf(o spec.Object, name string) spec.Object {
	f, _ := o.Field(name)
	m, _ := f.Type.(spec.Object)
	return m
}

// appendedLists returns the paths of the lists that are to be concatenated.
func appendedLists(conf spec.Object) [][]string {
	var paths [][]string
	for _, f := range conf {
		if f.Merge == spec.Append {
			paths = append(paths, []string{f.Name})
		}
		members, _ := f.Type.(spec.Object)
		for _, path := range appendedLists(members) {
			paths = append(paths, slices.Concat([]string{f.Name}, path))
		}
	}
	return paths
}

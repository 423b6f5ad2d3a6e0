package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// layer is the conf that one entry of a policy contributes to a rule.
type layer struct {
	policy *policy
	index  int // of the entry in its list
	conf   *conf
	part   bool // the conf is a part of that of the entry
}

// merge combines layers, in order of increasing precedence, of which there is
// at least one. The result shares no memory with them. It is one conf, except
// for routes with hostnames. It records in t which layer set what, unless t is
// nil.
func (k *kind) merge(layers []*layer, t *trace) []any {
	if k.keyed != "" {
		return k.mergeRoutes(layers, t)
	}
	merged := mergeConfs(layers, t.elem(0))
	for _, path := range k.appended {
		concatenate(merged, layers, path, t.elem(0))
	}
	return []any{merged}
}

// mergeConfs applies each conf to those before it as a merge patch.
func mergeConfs(layers []*layer, t *trace) any {
	merged := tree.Clone(layers[0].conf.value)
	t.write(merged, layers[0])
	for _, by := range layers[1:] {
		merged = patch(merged, by.conf.value, by, t)
	}
	return merged
}

// patch changes base as RFC 7396 says and returns it; the result shares no
// memory with the change. As on the control plane, a list loses the null
// fields of its objects when it replaces another (matching.md §9.6).
func patch(base, change any, by *layer, t *trace) any {
	switch change := change.(type) {
	case map[string]any:
		merged := tree.Object(base)
		if merged == nil {
			merged = make(map[string]any, len(change))
		}
		for k, v := range change {
			if v == nil {
				delete(merged, k)
				t.remove(k)
			} else {
				merged[k] = patch(merged[k], v, by, t.field(k))
			}
		}
		if len(merged) == 0 {
			t.set(map[string]any{}, by)
		}
		return merged
	case []any:
		items := phrase.Each(change, func(v any) any { return patch(nil, v, by, nil) })
		t.set(items, by)
		return items
	default:
		t.set(change, by)
		return change
	}
}

// concatenate sets the list at path to the elements that all confs have there.
// A list that is always empty becomes null, as on the control plane; one that
// no conf has stays absent (matching.md §9.2).
func concatenate(merged any, layers []*layer, path []string, t *trace) {
	parents, name := path[:len(path)-1], path[len(path)-1]
	parent := descend(merged, parents)
	if parent == nil {
		return
	}
	var all []any
	var last *layer
	for _, l := range layers {
		items, ok := descend(l.conf.value, parents)[name].([]any)
		if !ok {
			continue
		}
		if last == nil {
			t = t.follow(path)
			t.reset(1) // each element is set once
		}
		last = l
		for _, v := range items {
			t.elem(len(all)).set(v, last)
			all = append(all, tree.Clone(v))
		}
	}
	switch {
	case last == nil:
	case len(all) == 0:
		parent[name] = nil
		t.set(nil, last)
	default:
		parent[name] = all
	}
}

func descend(conf any, path []string) map[string]any {
	m := tree.Object(conf)
	for _, name := range path {
		m = tree.Object(m[name])
	}
	return m
}

// confType returns the fields of a kind's conf, as far as they are described.
func confType(k def.Kind) def.Object {
	owner := k.ToEntry()
	if k.Policy.Single {
		owner = k.Fields
	}
	conf, _ := owner.Field("default")
	return def.ObjectOf(conf.Type)
}

// appendedLists returns the paths of the lists that are to be concatenated.
func appendedLists(conf def.Object) [][]string {
	var paths [][]string
	for _, f := range conf {
		if f.Merge == def.Append {
			paths = append(paths, []string{f.Name})
		}
		fields, _ := f.Type.(def.Object)
		for _, path := range appendedLists(fields) {
			paths = append(paths, slices.Concat([]string{f.Name}, path))
		}
	}
	return paths
}

package main

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// shrink removes as much as possible from a world while differs returns true: whole
// resources, then parts of them. The first resource, the mesh, stays, and documents stay
// valid. It calls differs at most limit times.
//
// It removes the initial policies of the mesh first, if the world differs without them.
func shrink(world []kuma.Resource, limit int, differs func([]kuma.Resource) bool) []kuma.Resource {
	try := func(candidate []kuma.Resource) bool {
		if !valid(candidate) {
			return false
		}
		limit--
		return limit >= 0 && differs(candidate)
	}
	bare := append([]kuma.Resource{world[0].Clone()}, world[1:]...)
	bare[0].Body[skipInitial] = []any{"*"}
	if try(bare) {
		world = bare
	}
	world = withoutResources(world, try)
	for i := range world {
		world = withoutParts(world, i, try)
	}
	return world
}

// skipInitial is the field of a Mesh that prevents a control plane from creating initial
// policies.
const skipInitial = "skipCreatingInitialPolicies"

// withoutResources removes resources, beginning with many at a time.
func withoutResources(world []kuma.Resource, try func([]kuma.Resource) bool) []kuma.Resource {
	for size := max(1, len(world)/2); size > 0; size /= 2 {
		for at := 1; at < len(world); {
			end := min(at+size, len(world))
			smaller := slices.Concat(world[:at], world[end:])
			if try(smaller) {
				world = smaller
			} else {
				at = end
			}
		}
	}
	return world
}

// withoutParts removes fields and elements of the resource at an index, outermost first,
// until none can be removed.
func withoutParts(world []kuma.Resource, index int, try func([]kuma.Resource) bool) []kuma.Resource {
	for removed := true; removed; {
		removed = false
		for _, p := range parts(world[index].Document()) {
			smaller, ok := without(world[index], p)
			if !ok {
				continue
			}
			candidate := slices.Clone(world)
			candidate[index] = smaller
			if try(candidate) {
				world, removed = candidate, true
				break
			}
		}
	}
	return world
}

// parts returns the paths of all fields and elements, outer ones first.
func parts(v any) []tree.Path {
	var paths []tree.Path
	for level := []tree.Path{{}}; len(level) > 0; {
		var below []tree.Path
		for _, p := range level {
			switch at := tree.At(v, p).(type) {
			case map[string]any:
				for _, n := range tree.Root(at).Entries() {
					below = append(below, p.Child(n.Key()))
				}
			case []any:
				for i := range at {
					below = append(below, p.Child(i))
				}
			}
		}
		paths = append(paths, below...)
		level = below
	}
	return paths
}

// valid reports whether all resources are valid according to the declarations.
func valid(world []kuma.Resource) bool {
	return !slices.ContainsFunc(world, func(r kuma.Resource) bool {
		k, _ := kinds.Find(r.Type)
		return len(def.Errors(k.Validate(r.Document()))) > 0
	})
}

// without returns a resource without a part; false if the part cannot be removed.
func without(r kuma.Resource, part tree.Path) (kuma.Resource, bool) {
	doc := r.Clone().Document()
	name := part[len(part)-1]
	if part[0] == skipInitial || len(part) == 1 && (name == "type" || name == "name" || name == "mesh") {
		return r, false
	}
	above := part[:len(part)-1]
	switch container := tree.At(doc, above).(type) {
	case map[string]any:
		key, _ := name.(string)
		delete(container, key)
	case []any:
		i, _ := name.(int)
		rest := slices.Delete(slices.Clone(container), i, i+1)
		holder, ok := tree.At(doc, above[:len(above)-1]).(map[string]any)
		key, isField := above[len(above)-1].(string)
		if !ok || !isField {
			return r, false
		}
		holder[key] = rest
	}
	smaller, err := kuma.FromDocument(doc, kinds.Form)
	return smaller, err == nil
}

package main

import (
	"encoding/json"
	"math/rand/v2"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// mutate changes one part of a resource, in a way that makes many a document
// wrong: it takes the part away, repeats it, or puts another value in its place.
func mutate(seed uint64, r kuma.Resource) kuma.Resource {
	random := rand.New(rand.NewPCG(seed, 2))
	mutated := r.Clone()
	all := parts(mutated.Body)
	if len(all) == 0 {
		return mutated
	}
	part := all[random.IntN(len(all))]
	last := part[len(part)-1]
	switch container := tree.At(mutated.Body, part[:len(part)-1]).(type) {
	case map[string]any:
		name, _ := last.(string)
		if random.IntN(4) == 0 {
			delete(container, name)
		} else {
			container[name] = otherValue(random, mutated.Body, all)
		}
	case []any:
		i, _ := last.(int)
		if random.IntN(4) == 0 && len(container) > 1 {
			container[i] = tree.Clone(container[random.IntN(len(container))])
		} else {
			container[i] = otherValue(random, mutated.Body, all)
		}
	}
	return mutated
}

// otherValue returns a value at the edge of something, or that of another part.
func otherValue(random *rand.Rand, body map[string]any, all []tree.Path) any {
	edges := []any{
		nil, "", "x y", "a", "0s", "-1s", "1.5", "*", "/", "Mesh", true, json.Number("0"), json.Number("-1"), json.Number("1.5"), json.Number("65536"),
		[]any{},
		map[string]any{},
		[]any{"a", "a"},
		map[string]any{"a": "b"},
	}
	if i := random.IntN(len(edges) + 4); i < len(edges) {
		return edges[i]
	}
	return tree.Clone(tree.At(body, all[random.IntN(len(all))]))
}

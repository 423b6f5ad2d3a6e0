package configuration

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// expressions are expressions that replace values, by path in the document.
type expressions map[string]hclwrite.Tokens

// references returns the references of a resource to others in the file: its mesh, and
// resources that the document identifies by kind and name, or by name if their kind is
// known, or by the field "secret" in a manifest. References make Terraform create and destroy in the right order. A name that
// would close a cycle of references stays a string. So does a display name: no
// attribute contains it.
func (f *files) references(r kuma.Resource) expressions {
	out := expressions{}
	refer := func(path tree.Path, target kuma.Key) {
		if at, ok := f.addresses[target]; ok && !f.leads(target, r.Key(), map[kuma.Key]bool{}) {
			out[path.String()] = hclwrite.TokensForTraversal(at.traversal("name"))
			f.referred[r.Key()] = append(f.referred[r.Key()], target)
		}
	}
	refer(tree.Path{"mesh"}, kuma.MeshKey(r.Mesh))
	manifest := f.addresses[r.Key()].typeName == ManifestType
	eachObject(r.Document(), nil, func(path tree.Path, o map[string]any) {
		if secret, ok := o["secret"].(string); ok && manifest {
			refer(path.Child("secret"), kuma.Key{Type: kinds.Secret.Name, Mesh: r.Mesh, Name: secret})
		}
		switch kind, name := tree.Text(o["kind"]), tree.Text(o["name"]); {
		case kind == "" || name == "" || tree.Text(o["namespace"]) != "":
		case kind == kuma.KindMesh:
			refer(path.Child("name"), kuma.Key{Type: kind, Name: name})
		default:
			refer(path.Child("name"), kuma.Key{Type: kind, Mesh: r.Mesh, Name: name})
		}
	})
	k, _ := kinds.Find(r.Type)
	def.Walk(k.Root(), tree.Root(r.Document()), func(p def.Place) bool {
		if kind := p.Field.RefersTo; kind != "" {
			refer(p.Path, kuma.Key{Type: kind, Mesh: r.Mesh, Name: tree.Text(p.Value())})
		}
		return true
	})
	return out
}

// leads reports whether the references of a resource lead to another resource,
// or back to itself. Every resource refers to its mesh. Visited resources lead nowhere.
func (f *files) leads(from, to kuma.Key, visited map[kuma.Key]bool) bool {
	if from == to || from.Mesh != "" && to == kuma.MeshKey(from.Mesh) {
		return true
	}
	if visited[from] {
		return false
	}
	visited[from] = true
	return slices.ContainsFunc(f.referred[from], func(next kuma.Key) bool { return f.leads(next, to, visited) })
}

// eachObject calls visit for every object inside v, including v, in the order of their
// paths.
func eachObject(v any, path tree.Path, visit func(tree.Path, map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(path, v)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			eachObject(v[key], path.Child(key), visit)
		}
	case []any:
		for i, e := range v {
			eachObject(e, path.Child(i), visit)
		}
	}
}

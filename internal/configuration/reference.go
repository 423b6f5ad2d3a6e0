package configuration

import (
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// expressions are what stands in the place of values, by the path in the document.
type expressions map[string]hclwrite.Tokens

// references returns the references of a resource to others in the file: its mesh,
// and what the document names by kind and name. A reference makes Terraform create
// and destroy in the right order; none points to a resource of the same or a later
// level, so there are no cycles. A reference by display name stays text: no
// attribute has that name.
func (f *file) references(r kuma.Resource) expressions {
	out := expressions{}
	refer := func(path tree.Path, target kuma.Key) {
		if at, ok := f.addresses[target]; ok && level(target.Type) < level(r.Type) {
			out[path.String()] = hclwrite.TokensForTraversal(at.traversal("name"))
		}
	}
	refer(tree.Path{"mesh"}, kuma.Key{Type: kuma.KindMesh, Name: r.Mesh})
	eachObject(r.Document(), nil, func(path tree.Path, o map[string]any) {
		kind, name, namespace := tree.Text(o["kind"]), tree.Text(o["name"]), tree.Text(o["namespace"])
		switch {
		case kind == kuma.KindMesh && name != "":
			refer(path.Child("name"), kuma.Key{Type: kind, Name: name})
		case kind != "" && name != "" && namespace == "":
			refer(path.Child("name"), kuma.Key{Type: kind, Mesh: r.Mesh, Name: name})
		}
		if secret := tree.Text(o["secret"]); secret != "" {
			refer(path.Child("secret"), kuma.Key{Type: kinds.Secret.Name, Mesh: r.Mesh, Name: secret})
		}
		if dataplane := tree.Text(tree.Object(o["dataplaneRef"])["name"]); dataplane != "" {
			refer(path.Child("dataplaneRef").Child("name"), kuma.Key{Type: kuma.KindDataplane, Mesh: r.Mesh, Name: dataplane})
		}
	})
	return out
}

// eachObject calls visit for every object inside v, v among them.
func eachObject(v any, path tree.Path, visit func(tree.Path, map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(path, v)
		for key, e := range v {
			eachObject(e, path.Child(key), visit)
		}
	case []any:
		for i, e := range v {
			eachObject(e, path.Child(i), visit)
		}
	}
}

// level orders the kinds: resources refer to those of a lower level only.
func level(kind string) int {
	k, known := kinds.Find(kind)
	switch {
	case kind == kuma.KindMesh:
		return 0
	case kind == kinds.Secret.Name, kind == kinds.GlobalSecret.Name:
		return 1
	case kind == kuma.KindDataplane:
		return 2
	case kind == kuma.KindMeshHTTPRoute, kind == kuma.KindMeshTCPRoute:
		return 4
	case !known || k.Policy != nil:
		return 5
	default:
		return 3
	}
}

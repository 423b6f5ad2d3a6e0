package provider

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// manifestTree returns the document of a manifest resource, nil while it is not
// known.
func manifestTree(raw tftypes.Value) (map[string]any, error) {
	values, err := members(raw)
	if err != nil {
		return nil, err
	}
	return documentTree(values["manifest"])
}

// documentTree returns a document that is given as an object, nil while it is
// not known.
func documentTree(v tftypes.Value) (map[string]any, error) {
	tree, err := treeOf(v)
	if err != nil || tree == nil || tree == spec.Unknown {
		return nil, err
	}
	doc, ok := tree.(map[string]any)
	if !ok {
		return nil, errors.New("one object with type and name is needed, such as yamldecode(file(\"timeout.yaml\"))")
	}
	return doc, nil
}

// documentResource reads a resource that is given as a document.
func documentResource(v tftypes.Value) (spec.Kind, mesh.Resource, error) {
	doc, err := documentTree(v)
	if err != nil {
		return spec.Kind{}, mesh.Resource{}, err
	}
	return parseDocument(doc)
}

// parseDocument reads a document of a kind that this provider describes.
func parseDocument(doc map[string]any) (spec.Kind, mesh.Resource, error) {
	res, err := mesh.FromDocument(doc, kinds.Form)
	if err != nil {
		return spec.Kind{}, mesh.Resource{}, err
	}
	k, ok := kinds.Find(res.Type)
	if !ok {
		return spec.Kind{}, mesh.Resource{}, fmt.Errorf("%q is no kind that this provider knows.%s", res.Type, spec.Suggest(res.Type, capabilities{}.names()))
	}
	return k, res, nil
}

// treeOf turns any Terraform value into a decoded JSON tree with [spec.Unknown]
// in it. Attributes that are null are left out.
func treeOf(v tftypes.Value) (any, error) {
	switch {
	case v.Type() == nil || v.IsKnown() && v.IsNull():
		return nil, nil
	case !v.IsKnown():
		return spec.Unknown, nil
	}
	switch v.Type().(type) {
	case tftypes.Object, tftypes.Map:
		values, err := members(v)
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(values))
		for name, e := range values {
			tree, err := treeOf(e)
			if err != nil {
				return nil, err
			}
			if tree != nil {
				out[name] = tree
			}
		}
		return out, nil
	case tftypes.Tuple, tftypes.List, tftypes.Set:
		var elems []tftypes.Value
		if err := v.As(&elems); err != nil {
			return nil, err
		}
		out := make([]any, len(elems))
		for i, e := range elems {
			var err error
			if out[i], err = treeOf(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return scalarOf(v)
}

// scalarOf returns a known single value.
func scalarOf(v tftypes.Value) (any, error) {
	switch {
	case v.Type().Is(tftypes.String):
		var text string
		err := v.As(&text)
		return text, err
	case v.Type().Is(tftypes.Number):
		var n big.Float
		err := v.As(&n)
		return number(&n), err
	case v.Type().Is(tftypes.Bool):
		var b bool
		err := v.As(&b)
		return b, err
	default:
		return nil, fmt.Errorf("a single value is needed, not %s", v.Type())
	}
}

// checkManifest returns what is wrong with a document, parts of which may not
// be known yet. Of a kind that is not described nothing is.
func checkManifest(doc map[string]any) []spec.Problem {
	for _, member := range []string{"type", "kind", "apiVersion", "metadata", "name", "mesh", "labels"} {
		if !fullyKnown(doc[member]) {
			return nil
		}
	}
	res, err := mesh.FromDocument(doc, kinds.Form)
	if err != nil {
		return []spec.Problem{{Summary: "Not a document", Detail: sentence(err)}}
	}
	k, ok := kinds.Find(res.Type)
	if !ok {
		return nil
	}
	problems := append(k.Validate(res.Document()), k.UnknownMembers(res)...)
	spec.Sort(problems)
	return problems
}

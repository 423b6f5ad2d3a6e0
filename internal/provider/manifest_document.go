package provider

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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
	decoded, err := treeOf(v)
	if err != nil || decoded == nil || decoded == tree.Unknown {
		return nil, err
	}
	doc, ok := decoded.(map[string]any)
	if !ok {
		return nil, errors.New("one object with type and name is needed, such as yamldecode(file(\"timeout.yaml\"))")
	}
	return doc, nil
}

// documentResource reads a resource that is given as a document.
func documentResource(v tftypes.Value) (def.Kind, kuma.Resource, error) {
	doc, err := documentTree(v)
	if err != nil {
		return def.Kind{}, kuma.Resource{}, err
	}
	return parseDocument(doc)
}

// parseDocument reads a document of a kind that this provider describes.
func parseDocument(doc map[string]any) (def.Kind, kuma.Resource, error) {
	res, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		return def.Kind{}, kuma.Resource{}, err
	}
	k, ok := kinds.Find(res.Type)
	if !ok {
		return def.Kind{}, kuma.Resource{}, fmt.Errorf("%q is no kind that this provider knows.%s", res.Type, phrase.Suggest(res.Type, capabilities{}.names()))
	}
	return k, res, nil
}

// treeOf turns any Terraform value into a decoded JSON tree with [tree.Unknown]
// in it. Attributes that are null are left out.
func treeOf(v tftypes.Value) (any, error) {
	switch {
	case v.Type() == nil || v.IsKnown() && v.IsNull():
		return nil, nil
	case !v.IsKnown():
		return tree.Unknown, nil
	}
	switch v.Type().(type) {
	case tftypes.Object, tftypes.Map:
		values, err := members(v)
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(values))
		for name, e := range values {
			decoded, err := treeOf(e)
			if err != nil {
				return nil, err
			}
			if decoded != nil {
				out[name] = decoded
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
func checkManifest(doc map[string]any) []def.Problem {
	for _, member := range []string{"type", "kind", "apiVersion", "metadata", "name", "mesh", "labels"} {
		if !fullyKnown(doc[member]) {
			return nil
		}
	}
	res, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		return []def.Problem{{Summary: "Not a document", Detail: sentence(err)}}
	}
	k, ok := kinds.Find(res.Type)
	if !ok {
		return nil
	}
	problems := append(k.Validate(res.Document()), k.UnknownMembers(res)...)
	def.Sort(problems)
	return problems
}

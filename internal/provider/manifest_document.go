package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// manifestTree returns the document of a manifest resource, nil while it is not
// known.
func manifestTree(raw tftypes.Value) (map[string]any, error) {
	values, err := tfvalue.Attributes(raw)
	if err != nil {
		return nil, err
	}
	return documentTree(values["manifest"])
}

// documentTree returns a document that is given as an object, nil while it is
// not known.
func documentTree(v tftypes.Value) (map[string]any, error) {
	decoded, err := tfvalue.ToTree(v)
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
		return def.Kind{}, kuma.Resource{}, fmt.Errorf("%q is no kind that this provider knows.%s", res.Type, phrase.Suggest(res.Type, store.Capabilities{}.KindNames()))
	}
	return k, res, nil
}

// checkManifest returns what is wrong with a document, parts of which may not
// be known yet. Of a kind that is not described nothing is.
func checkManifest(doc map[string]any) []def.Problem {
	for _, member := range []string{"type", "kind", "apiVersion", "metadata", "name", "mesh", "labels"} {
		if !tree.FullyKnown(doc[member]) {
			return nil
		}
	}
	res, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		return []def.Problem{{Summary: "Not a document", Detail: phrase.Sentence(err)}}
	}
	k, ok := kinds.Find(res.Type)
	if !ok {
		return nil
	}
	problems := append(k.Validate(res.Document()), k.UnknownMembers(res)...)
	def.Sort(problems)
	return problems
}

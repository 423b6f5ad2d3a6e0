package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// The attribute proxy is dynamic: it takes a whole kuma_dataplane, or a document
// as kuma_manifest does, and is checked in the same way, so that a misspelt member
// is an error. Blocks would need a second derivation of the schema, and could not
// take what a module has already.

// isResource reports whether an object is a whole resource of this provider
// rather than a document: only those have an identifier.
func isResource(v tftypes.Value) bool {
	values, err := tfvalue.Attributes(v)
	return err == nil && values["kri"].Type() != nil
}

// resourceDocument returns the document of a whole resource, or the document that
// an object is, nil while it is not known.
func resourceDocument(v tftypes.Value) (map[string]any, error) {
	if !isResource(v) {
		return documentTree(v)
	}
	values, err := tfvalue.Attributes(v)
	if err != nil {
		return nil, err
	}
	if m, ok := values["manifest"]; ok {
		return documentTree(m)
	}
	var kind string
	if t, ok := values["type"]; !ok || t.As(&kind) != nil {
		return nil, errors.New("the object has no type: give a whole resource, such as kuma_mesh_timeout.web")
	}
	k, ok := kinds.Find(kind)
	if !ok {
		return nil, fmt.Errorf("%q is no kind that this provider knows", kind)
	}
	return tfvalue.Encode(k, v)
}

// proxyDocument returns the document of a Dataplane that is described inline, nil
// while it is not known. Type and mesh may be left out.
func proxyDocument(v tftypes.Value, meshName string) (map[string]any, error) {
	doc, err := resourceDocument(v)
	if err != nil || doc == nil {
		return nil, err
	}
	if _, kubernetes := doc["apiVersion"]; !kubernetes {
		setDefault(doc, "type", kuma.KindDataplane)
		setDefault(doc, "mesh", meshName)
	}
	return doc, nil
}

func setDefault(doc map[string]any, name string, value any) {
	if _, ok := doc[name]; !ok {
		doc[name] = value
	}
}

// addProxy adds the Dataplane that is described inline, and returns its name.
func (w *world) addProxy(v tftypes.Value) string {
	at := path.Root("proxy")
	doc, err := proxyDocument(v, w.mesh)
	if err == nil && doc == nil {
		err = errors.New("an object is needed")
	}
	if err != nil {
		w.diags.AddAttributeError(at, "Not a dataplane", phrase.Sentence(err))
		return ""
	}
	reportDocument(w.diags, at, checkManifest(doc))
	_, r, err := parseDocument(doc)
	switch {
	case w.diags.HasError():
		return ""
	case err != nil:
		w.diags.AddAttributeError(at, "Not a dataplane", phrase.Sentence(err))
		return ""
	case r.Type != kuma.KindDataplane:
		w.diags.AddAttributeError(at, "Not a dataplane", fmt.Sprintf("The document is a %s. Describe the proxy by a %s.", r.Type, kuma.KindDataplane))
	case r.Mesh != w.mesh:
		w.diags.AddAttributeError(at, "The proxy is in another mesh", fmt.Sprintf("The document is about mesh %q, the data source about mesh %q. Set both to the same mesh.", r.Mesh, w.mesh))
	}
	w.lay([]kuma.Resource{r})
	return r.Name
}

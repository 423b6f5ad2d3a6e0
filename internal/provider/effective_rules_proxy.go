package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// The attribute proxy is dynamic: it takes a whole kuma_dataplane, or a document
// as kuma_manifest does, and is checked in the same way, so that a misspelt member
// is an error. Blocks would need a second derivation of the schema, and could not
// take what a module has already.

// proxyDocument returns the document of a Dataplane that is described inline, nil
// while it is not known. Type and mesh may be left out.
func proxyDocument(v tftypes.Value, meshName string) (map[string]any, error) {
	doc, err := objectTree(v)
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

func proxyReader() *document.Reader { return &document.Reader{Check: document.Members} }

// addProxy adds the Dataplane that is described inline, and returns its name.
func (in *analysisInput) addProxy(v tftypes.Value) string {
	at := path.Root("proxy")
	doc, err := proxyDocument(v, in.mesh)
	if err == nil && doc == nil {
		err = errors.New("an object is needed")
	}
	if err != nil {
		in.diags.AddAttributeError(at, "Not a dataplane", phrase.Sentence(err))
		return ""
	}
	found := proxyReader().Value(doc)
	reportReading(in.diags, at, found)
	if in.diags.HasError() {
		return ""
	}
	d, err := found.Only()
	r := d.Resource
	switch {
	case err != nil:
		in.diags.AddAttributeError(at, "Not a dataplane", phrase.Sentence(err))
		return ""
	case r.Type != kuma.KindDataplane:
		in.diags.AddAttributeError(at, "Not a dataplane", fmt.Sprintf("The document is a %s. Describe the proxy by a %s.", r.Type, kuma.KindDataplane))
	case r.Mesh != in.mesh:
		in.diags.AddAttributeError(at, "The proxy is in another mesh", fmt.Sprintf("The document is about mesh %q, the data source about mesh %q. Set both to the same mesh.", r.Mesh, in.mesh))
	}
	in.applyPlanned([]kuma.Resource{r})
	return r.Name
}

package analysis

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// The attribute proxy is dynamic: it accepts a whole kuma_dataplane, or a document
// as kuma_manifest does, and is checked in the same way, so that a misspelled field
// is an error. Blocks would need a second derivation of the schema, and could not
// accept a resource that a module already has.

// proxyDocument returns the document of an inline Dataplane, nil
// while it is not known. Type and mesh may be omitted.
func proxyDocument(v tftypes.Value, meshName string) (map[string]any, error) {
	doc, err := tfvalue.Document(v)
	if err != nil || doc == nil {
		return nil, err
	}
	if _, kubernetes := doc["apiVersion"]; !kubernetes {
		setDefault(doc, "type", kuma.KindDataplane)
		setDefault(doc, "mesh", meshName)
	}
	return doc, nil
}

// isNull reports whether a value of any type is null, as that of a conditional may be.
func isNull(v types.Dynamic) bool { return v.IsNull() || v.IsUnderlyingValueNull() }

func setDefault(doc map[string]any, name string, value any) {
	if _, ok := doc[name]; !ok {
		doc[name] = value
	}
}

func proxyReader() *document.Reader { return &document.Reader{Check: document.Fields} }

// readProxy reads the inline Dataplane of a mesh.
func readProxy(v tftypes.Value, mesh string, diags *diag.Diagnostics) document.Document {
	at := path.Root("proxy")
	doc, err := proxyDocument(v, mesh)
	if err == nil && doc == nil {
		err = errors.New("must be an object")
	}
	if err != nil {
		diags.AddAttributeError(at, "Invalid dataplane", phrase.Sentence(err))
		return document.Document{}
	}
	found := proxyReader().Value(doc)
	report.Reading(diags, at, found)
	if diags.HasError() {
		return document.Document{}
	}
	d, err := found.Only()
	r := d.Resource
	switch {
	case err != nil:
		diags.AddAttributeError(at, "Invalid dataplane", phrase.Sentence(err))
	case r.Type != kuma.KindDataplane:
		diags.AddAttributeError(at, "Invalid dataplane", fmt.Sprintf("proxy must be a %[2]s, and the document is a %[1]s.", r.Type, kuma.KindDataplane))
	case r.Mesh != mesh:
		diags.AddAttributeError(at, "Conflicting meshes", fmt.Sprintf("The document of the proxy is in mesh %q, but the data source is for mesh %q. Set both to the same mesh.", r.Mesh, mesh))
	}
	return d
}

// inlineProxy returns the inline Dataplane of a configuration, nil without one.
func inlineProxy(config tftypes.Value, proxy types.Dynamic, mesh string, diags *diag.Diagnostics) []document.Document {
	root, err := tfvalue.Attributes(config)
	if err != nil || isNull(proxy) {
		return nil
	}
	return []document.Document{readProxy(root["proxy"], mesh, diags)}
}

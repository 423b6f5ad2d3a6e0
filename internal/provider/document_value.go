package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file turns Terraform values into decoded documents, for package document
// to read.

// documentTree returns a document given as an object, nil while it is not known.
func documentTree(v tftypes.Value) (map[string]any, error) {
	decoded, err := tfvalue.ToTree(v)
	if err != nil || decoded == nil || decoded == tree.Unknown {
		return nil, err
	}
	doc, ok := decoded.(map[string]any)
	if !ok {
		return nil, errors.New("must be an object with type and name, such as yamldecode(file(\"timeout.yaml\"))")
	}
	return doc, nil
}

// resourceTree returns the document of a whole resource of this provider, nil
// while it is not known.
func resourceTree(v tftypes.Value) (map[string]any, error) {
	values, err := tfvalue.Attributes(v)
	if err != nil {
		return nil, err
	}
	if m, ok := values["manifest"]; ok {
		return documentTree(m)
	}
	var kind string
	t, ok := values["type"]
	if ok && !t.IsKnown() {
		return nil, nil // OpenTofu validates with computed attributes that are not known
	}
	if !ok || t.As(&kind) != nil {
		return nil, errors.New("must be a whole resource, such as kuma_mesh_timeout.web: the object has no type")
	}
	k, ok := kinds.Find(kind)
	if !ok {
		return nil, document.UnknownKind(kind)
	}
	return tfvalue.Encode(k, v)
}

// objectTree returns the document of a whole resource, or of an object that is a
// document, nil while it is not known.
func objectTree(v tftypes.Value) (map[string]any, error) {
	if isResource(v) {
		return resourceTree(v)
	}
	return documentTree(v)
}

// isResource reports whether an object is a whole resource of this provider, and
// not a document: only a resource has an identifier.
func isResource(v tftypes.Value) bool {
	values, err := tfvalue.Attributes(v)
	return err == nil && values["kri"].Type() != nil
}

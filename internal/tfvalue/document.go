package tfvalue

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file turns Terraform values into decoded documents, for package document
// to read.

// ObjectDocument returns a document given as an object, nil while it is not known.
func ObjectDocument(v tftypes.Value) (map[string]any, error) {
	decoded, err := ToTree(v)
	if err != nil || decoded == nil || decoded == tree.Unknown {
		return nil, err
	}
	doc, ok := decoded.(map[string]any)
	if !ok {
		return nil, errors.New("must be an object with type and name, such as yamldecode(file(\"timeout.yaml\"))")
	}
	return doc, nil
}

// resourceDocument returns the document of a whole resource of this provider, nil
// while it is not known.
func resourceDocument(v tftypes.Value) (map[string]any, error) {
	values, err := Attributes(v)
	if err != nil {
		return nil, err
	}
	if m, ok := values["manifest"]; ok {
		return ObjectDocument(m)
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
	return Encode(k, v)
}

// Document returns the document of a whole resource, or of an object that is a
// document, nil while it is not known.
func Document(v tftypes.Value) (map[string]any, error) {
	if IsResource(v) {
		return resourceDocument(v)
	}
	instances, _ := Attributes(v) // none of what is not an object
	for _, instance := range instances {
		if IsResource(instance) {
			return nil,
				errors.New("a resource with for_each is a map of its instances. " +
					"Write values(kuma_mesh_timeout.web) instead of kuma_mesh_timeout.web, and concat for several lists")
		}
	}
	return ObjectDocument(v)
}

// IsResource reports whether an object is a whole resource of this provider, and
// not a document: only a resource has an identifier.
func IsResource(v tftypes.Value) bool {
	values, err := Attributes(v)
	return err == nil && values["kri"].Type() != nil
}

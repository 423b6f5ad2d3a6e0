package main

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// recordSchema reads the fields of a release from the OpenAPI document that Kuma publishes with
// it, as one column of internal/kinds/testdata/schemas.tsv. It lacks some older kinds, in older
// releases more of them.
func recordSchema(openAPI string, release kuma.Release) error {
	documents, err := readDocuments(openAPI)
	if err != nil {
		return err
	}
	if len(documents) != 1 {
		return fmt.Errorf("%s has %d documents", openAPI, len(documents))
	}
	fields := map[testworld.FieldKey]testworld.FieldSchema{}
	all := tree.Root(documents[0]).Get("components", "schemas")
	for _, k := range kinds.All() {
		item := tree.Object(all.Get(k.Name + "Item").Value())
		if item == nil {
			continue
		}
		fields[testworld.FieldKey{Kind: k.Name}] = testworld.FieldSchema{Type: "kind"}
		properties := maps.Clone(tree.Object(item["properties"]))
		for _, envelope := range []string{"creationTime", "kri", "labels", "mesh", "modificationTime", "name", "snis", "status", "type"} {
			delete(properties, envelope)
		}
		s := schemas{all: all, add: func(path string, f testworld.FieldSchema) {
			fields[testworld.FieldKey{Kind: k.Name, Path: path}] = f
		}}
		s.object("", object{"properties": properties, "required": item["required"]})
	}
	return rewriteColumn(verdicts+"/schemas.tsv", release, fields)
}

// schemas are the schemas of a release.
type schemas struct {
	all tree.Node
	add func(path string, f testworld.FieldSchema)
}

// object adds the fields of an object, whose path ends in a dot or is empty. The fields of all
// variants of an object count.
func (s schemas) object(at string, schema object) {
	required := tree.Strings(schema["required"])
	for name, v := range tree.Object(schema["properties"]) {
		s.field(at+name, tree.Object(v), slices.Contains(required, name))
	}
	for _, variant := range tree.Objects(schema["oneOf"]) {
		s.object(at, tree.Object(s.all.Get(path.Base(tree.Text(variant["$ref"]))).Value()))
	}
}

// field adds a field and those below it.
func (s schemas) field(at string, schema object, required bool) {
	f := testworld.FieldSchema{Type: typeOf(schema), Required: required, Default: schema["default"]}
	if items := tree.Object(schema["items"]); items != nil {
		f.Type += " of " + typeOf(items)
		schema, at = items, at+"[]"
	}
	f.Values = tree.Strings(schema["enum"])
	slices.Sort(f.Values)
	s.add(strings.TrimSuffix(at, "[]"), f)
	if typeOf(schema) == "object" {
		s.object(at+".", schema)
	}
}

// typeOf returns the JSON type of the values that a schema describes.
func typeOf(schema object) string {
	properties := tree.Object(schema["properties"])
	variants := tree.Objects(schema["oneOf"])
	switch {
	case schema["format"] == "byte":
		return "base64"
	case schema["x-kubernetes-int-or-string"] == true:
		return "integer or string"
	case schema["type"] == "array":
		return "list"
	case schema["additionalProperties"] != nil && schema["additionalProperties"] != false:
		return "map"
	case properties["seconds"] != nil && properties["nanos"] != nil, len(variants) > 0 && variants[0]["type"] == "string":
		return "string" // a duration or an enum of an older kind
	case properties != nil, variants != nil:
		return "object"
	case schema["type"] == "object":
		return "any"
	}
	return cmp.Or(tree.Text(schema["type"]), "any")
}

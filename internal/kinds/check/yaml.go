package check

import (
	"errors"
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// YAMLObject checks a string that contains an Envoy resource in YAML or JSON.
var YAMLObject = def.Check{Test: func(n tree.Node) []def.Problem {
	text, ok := n.Text()
	_, err := ReadYAMLObject(text)
	return def.ErrorIf(ok && err != nil, n, "Invalid Envoy resource",
		"The value %s. It must be an object with the fields of the Envoy resource, in YAML or JSON.", err)
}}

// ReadYAMLObject reads an object in YAML or JSON. An empty string is an object
// without fields. The error continues a sentence that begins with "The value".
func ReadYAMLObject(text string) (map[string]any, error) {
	docs, err := tree.DecodeYAML([]byte(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("is not valid YAML (%w)", err)
	case len(docs) == 0:
		return nil, nil
	}
	m, ok := docs[0].(map[string]any)
	if !ok {
		return nil, errors.New("is YAML but not an object")
	}
	return m, nil
}

package embedded

import (
	"errors"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// lineOf returns the line of a path in a YAML document, or of the longest part of the
// path that exists.
func lineOf(data []byte, p tree.Path) int {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil || len(document.Content) == 0 {
		return 1
	}
	n := document.Content[0]
	line := n.Line
	for _, step := range p {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		name, value := child(n, step)
		if value == nil {
			return line
		}
		line, n = name.Line, value
	}
	return line
}

// child returns the node one step below a node, and the node of its key; nil if it
// does not exist.
func child(n *yaml.Node, step any) (name, value *yaml.Node) {
	switch step := step.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && step < len(n.Content) {
			return n.Content[step], n.Content[step]
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// differing returns the path of the first field that contradicts the name of the file.
func differing(got, want kuma.Key) tree.Path {
	switch {
	case got.Type != want.Type:
		return tree.Path{"type"}
	case got.Mesh != want.Mesh:
		return tree.Path{"mesh"}
	default:
		return tree.Path{"name"}
	}
}

var yamlError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// atLine extracts the line from an error of the YAML decoder, 1 if it has none.
func atLine(err error) (int, error) {
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, err
	}
	line, _ := strconv.Atoi(m[1]) // digits, or empty
	return max(1, line), errors.New(m[2])
}

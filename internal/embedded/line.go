package embedded

import (
	"errors"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// lineOf returns the line in a YAML document where a path is, or else the part
// of it that is there: what is missing is missing from something.
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

// child returns what is one step below a node, and the node that names it; nil
// when it is not there.
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

// differing leads to what a document says about itself and its file does not.
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

// atLine takes the line out of an error of the YAML decoder, 1 when it names
// none.
func atLine(err error) (int, error) {
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, err
	}
	line, _ := strconv.Atoi(m[1]) // digits, or nothing
	return max(1, line), errors.New(m[2])
}

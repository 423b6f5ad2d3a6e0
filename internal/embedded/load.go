package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// load reads one resource. in is its mesh, the zero value for a kind outside meshes. A
// name that is not valid for a resource is [errNotFound].
func (s *Server) load(k def.Kind, in kuma.Resource, name string) (kuma.Resource, error) {
	file, ok := fileName(k, in.Name, name)
	if !ok {
		return kuma.Resource{}, errNotFound
	}
	data, modified, err := s.files.read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return kuma.Resource{}, errNotFound
	}
	if err != nil {
		return kuma.Resource{}, fmt.Errorf("read %s: %w", s.files.full(file), err)
	}
	r, line, err := parse(k, data, kuma.Key{Type: k.Name, Mesh: in.Name, Name: name})
	if err != nil {
		return kuma.Resource{}, fmt.Errorf("%s:%d: %w. Correct the file", s.files.full(file), line, err)
	}
	r = k.Store(r, def.StoreContext{ControlPlane: s.controlPlane, Mesh: in})
	r.ModificationTime = modified
	if r.CreationTime.IsZero() || r.CreationTime.After(modified) {
		r.CreationTime = modified
	}
	return r, nil
}

// parse parses the file of the resource with a key, and checks it as if it had been
// sent. An error is on the given line; further errors name their own.
func parse(k def.Kind, data []byte, key kuma.Key) (r kuma.Resource, line int, err error) {
	reader := document.Reader{Find: func(string) (def.Kind, bool) { return k, true }}
	found, err := reader.Text(data)
	switch {
	case err != nil:
		line, err := atLine(err)
		return r, line, err
	case found.Count != 1:
		return r, 1, fmt.Errorf("the file must contain one document, not %d", found.Count)
	case len(found.Documents) == 0:
		return r, lineOf(data, nil), errors.New(clause(found.Problems[0].Problem))
	}
	r = found.Documents[0].Resource
	if r.Key() != key {
		return r, lineOf(data, differing(r.Key(), key)), fmt.Errorf("the document describes %s, but the name of the file is for %s", r.Key(), key)
	}
	doc := r.Clone().Document()
	k.DropServerKeys(doc) // a stored document has fields that must not be sent
	var wrong []string
	for _, p := range def.Errors(document.Fields.Problems(k, r, doc)) {
		text := p.Path.String() + ": " + clause(p)
		if wrong == nil {
			line = lineOf(data, p.Path)
		} else {
			text = fmt.Sprintf("line %d: %s", lineOf(data, p.Path), text)
		}
		wrong = append(wrong, text)
	}
	if wrong != nil {
		return r, line, errors.New(strings.Join(wrong, "; "))
	}
	return r, 0, nil
}

// lineOf returns the line of a path in a YAML document, or of the longest part of the
// path that exists.
func lineOf(data []byte, p tree.Path) int {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil || len(root.Content) == 0 {
		return 1
	}
	n := root.Content[0]
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

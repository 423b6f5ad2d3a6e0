package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// stdin is the path of the standard input.
const stdin = "-"

// documents are what a path contains.
type documents struct {
	texts  [][]byte // of the files
	keys   []kuma.Key
	others []string // kinds of the documents that are ignored
	older  []string // kinds of the documents that are named and not evaluated
	places map[kuma.Key]place
	again  []string // what resources are in several documents, the last of which counts
}

// place is where a document is.
type place struct {
	file string
	node *yaml.Node
}

// fileError is what is wrong with a file or directory.
type fileError struct {
	path string
	error
}

// pathError returns the reason why a file cannot be read.
func pathError(path string, err error) error {
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		return fileError{path, reason.Err}
	}
	return err
}

// read reads the documents at a path. Invalid ones are an error that names the file. It notes
// the kinds that it ignores.
func (s streams) read(path string) (*documents, error) {
	files, err := filesAt(path)
	if err != nil {
		return nil, err
	}
	all := &documents{places: map[kuma.Key]place{}}
	var problems []error
	for _, file := range files {
		if err := all.add(file, s.in); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) == 0 && len(all.keys) == 0 {
		return nil, fileError{path, errors.New("there are no Kuma resources")}
	}
	if slices.Sort(all.others); len(all.others) > 0 {
		fmt.Fprintf(s.err, "Note: ignored documents of the kinds %s, which are not kinds that this provider supports.\n", phrase.And(slices.Compact(all.others)...))
	}
	if slices.Sort(all.older); len(all.older) > 0 {
		fmt.Fprintf(s.err, "Note: the older kinds %s are not evaluated. Answers name their resources, or are unknown because of them.\n", phrase.And(slices.Compact(all.older)...))
	}
	for _, again := range all.again {
		fmt.Fprintf(s.err, "Note: %s, which counts.\n", again)
	}
	return all, errors.Join(problems...)
}

// ofKinds returns the documents of some kinds.
func (d *documents) ofKinds(all []def.Kind) (*input.Documents, error) {
	read := input.OfKinds(all)
	for _, text := range d.texts {
		if err := read.Text(text); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// filesAt returns the files with documents at a path.
func filesAt(path string) ([]string, error) {
	if path == stdin {
		return []string{stdin}, nil
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, pathError(path, err)
	}
	var files []string
	err := filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

func (d *documents) add(file string, in io.Reader) error {
	var data []byte
	var err error
	if file == stdin {
		data, err = io.ReadAll(in)
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return pathError(file, err)
	}
	reader := document.Reader{UnknownKinds: document.LeaveOut, Accept: input.KindNames(kinds.Older()), Check: document.Fields, OmitsSecrets: true}
	result, err := reader.Text(data)
	if err != nil {
		return fileError{file, err}
	}
	d.texts = append(d.texts, data)
	for _, r := range result.Documents {
		d.keys = append(d.keys, r.Resource.Key())
		if _, older := kinds.FindOlder(r.Resource.Type); older {
			d.older = append(d.older, r.Resource.Type)
		}
	}
	for _, key := range result.LeftOut {
		d.others = append(d.others, phrase.Word(key.Type))
	}
	d.locate(file, data)
	var problems []error
	for _, p := range result.Problems {
		if !p.Warning {
			problems = append(problems, fileError{file, p})
		}
	}
	return errors.Join(problems...)
}

// locate records where the resources of a file are.
func (d *documents) locate(file string, data []byte) {
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var node yaml.Node
		if decoder.Decode(&node) != nil {
			return
		}
		var value any
		if node.Decode(&value) != nil {
			continue
		}
		r, err := kuma.FromDocument(value, func(kind string) kuma.Form { k, _ := kinds.Find(kind); return k.Form() })
		if err != nil || slices.Contains(d.others, phrase.Word(r.Type)) {
			continue
		}
		if first, known := d.places[r.Key()]; known {
			d.again = append(d.again, fmt.Sprintf("%s is in %s and again in %s", phrase.Word(r.Key().String()), phrase.CodeSpan(first.file), phrase.CodeSpan(file)))
		}
		d.places[r.Key()] = place{file, node.Content[0]}
	}
}

// meshOf returns the mesh to analyze: by default, the only one of the first documents that have
// any, or if none has, of the first ones with resources of a mesh. It notes resources of other
// meshes that may be mistakes.
func (o *options) meshOf(all ...*documents) (mesh string, err error) {
	if mesh = o.mesh; mesh == "" {
		mesh, err = onlyMesh(all)
	}
	for _, d := range all {
		described, others := map[string]bool{"": true, mesh: true}, map[string]bool{}
		for _, key := range d.keys {
			described[nameOfMesh(key)] = true
		}
		for _, key := range d.keys {
			if !described[key.Mesh] {
				others[key.Mesh] = true
			}
		}
		if names := slices.Sorted(maps.Keys(others)); len(names) > 0 && err == nil {
			fmt.Fprintf(o.errors, "Note: ignored the resources of mesh %s, which no document describes.\n", phrase.And(phrase.Each(names, phrase.Word)...))
		}
	}
	return mesh, err
}

func onlyMesh(all []*documents) (string, error) {
	for _, name := range []func(kuma.Key) string{nameOfMesh, func(key kuma.Key) string { return key.Mesh }} {
		for _, d := range all {
			found := map[string]bool{}
			for _, key := range d.keys {
				found[name(key)] = true
			}
			delete(found, "")
			switch meshes := slices.Sorted(maps.Keys(found)); len(meshes) {
			case 0:
			case 1:
				return meshes[0], nil
			default:
				return "", fmt.Errorf("the documents contain several meshes: %s. Select one with -mesh", phrase.And(meshes...))
			}
		}
	}
	return kuma.DefaultMesh, nil
}

// nameOfMesh returns the name of a Mesh, empty for other resources.
func nameOfMesh(key kuma.Key) string {
	if key.Type != kuma.KindMesh {
		return ""
	}
	return key.Name
}

// place returns where a resource is, and the line of a path in it, or of the resource if it
// does not have the path. The file is empty for a resource that no document describes.
func (d *documents) place(key kuma.Key, path string) (file string, line int) {
	p, ok := d.places[key]
	if !ok {
		return "", 0
	}
	line = p.node.Line
	at := p.node
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(`.[]"`, r) }) {
		if at = child(at, step); at == nil {
			break
		}
		line = at.Line
	}
	return p.file, line
}

// child returns the element or the value of a node with an index or a key.
func child(n *yaml.Node, step string) *yaml.Node {
	for i, e := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && fmt.Sprint(i) == step:
			return e
		case n.Kind == yaml.MappingNode && i%2 == 0 && e.Value == step:
			return n.Content[i+1]
		}
	}
	return nil
}

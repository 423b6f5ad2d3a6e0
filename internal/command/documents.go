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
	"regexp"
	"slices"
	"strconv"
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

// maxFile is the maximum size of a file with documents.
const maxFile = 256 << 20

// documents are what a path contains.
type documents struct {
	*input.Documents

	keys     []kuma.Key
	others   []string                             // kinds of the documents that are ignored
	older    []string                             // kinds of the documents that are named and not evaluated
	places   map[kuma.Key]place                   // of the resources; the last one of several
	texts    map[string][]byte                    // of the files
	nodes    map[string]fileNodes                 // of the files that have been searched for lines
	values   map[*yaml.Node]map[string]*yaml.Node // of the mappings among them
	again    []again
	problems []invalid
}

// place is where a document is.
type place struct {
	file   string
	number int // of the document in the file, from 1
}

// again is a resource that is in several documents, the last of which counts.
type again struct {
	key         kuma.Key
	first, last string
}

// String is a clause.
func (a again) String() string {
	return fmt.Sprintf("%s is in %s and again in %s, which counts", phrase.Word(a.key.String()), phrase.CodeSpan(a.first),
		phrase.CodeSpan(a.last))
}

// invalid is what is wrong with a document or a file.
type invalid struct {
	fileError

	key     kuma.Key
	number  int // of the document in its file; 0 for the file itself
	path    string
	ignored bool // it has a field that its kind does not have, and is analyzed without it
}

// consequence is a sentence with a leading space.
func (i invalid) consequence() string {
	switch {
	case i.ignored:
		return ""
	case i.number == 0:
		return " Nothing in the file is analyzed."
	default:
		return " The document is not analyzed."
	}
}

// fileNodes are the documents of a file, in order.
type fileNodes []*yaml.Node

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

// read reads the documents at a path, of which analyses take into account some kinds. What is wrong
// with one does not keep the others from being read. It notes the kinds that it ignores.
func (s streams) read(path string, of []def.Kind) (*documents, error) {
	all := &documents{
		Documents: input.OfKinds(of), places: map[kuma.Key]place{}, texts: map[string][]byte{}, nodes: map[string]fileNodes{},
		values: map[*yaml.Node]map[string]*yaml.Node{},
	}
	files, err := all.filesAt(path)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		all.add(file, s.in)
	}
	if len(all.problems) == 0 && len(all.keys) == 0 {
		return nil, fileError{path, errors.New("there are no Kuma resources")}
	}
	if slices.Sort(all.others); len(all.others) > 0 {
		fmt.Fprintf(s.err, "Note: ignored documents of the kinds %s, which are not kinds that this provider supports.\n",
			phrase.And(slices.Compact(all.others)...))
	}
	if slices.Sort(all.older); len(all.older) > 0 {
		fmt.Fprintf(s.err, "Note: resources of the older kinds are not evaluated: %s. Answers name them, or are unknown because of them.\n",
			phrase.And(slices.Compact(all.older)...))
	}
	return all, nil
}

// readValid is [streams.read] for analyses that need all documents. Invalid ones are an error that
// names the file, and resources that are in several documents are noted.
func (s streams) readValid(path string, of []def.Kind) (*documents, error) {
	all, err := s.read(path, of)
	if err != nil {
		return nil, err
	}
	for _, again := range all.again {
		fmt.Fprintf(s.err, "Note: %s.\n", again)
	}
	var problems []error
	for _, p := range all.problems {
		problems = append(problems, p.fileError)
	}
	return all, errors.Join(problems...)
}

// filesAt returns the files with documents at a path. Links are followed, but no directory is read
// twice. What cannot be read below the path is a problem.
func (d *documents) filesAt(path string) ([]string, error) {
	if path == stdin {
		return []string{stdin}, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, pathError(path, err)
	case !info.IsDir():
		return []string{path}, nil
	}
	var files []string
	visited := map[string]bool{}
	var visit func(directory string)
	visit = func(directory string) {
		target, err := filepath.EvalSymlinks(directory)
		var entries []fs.DirEntry
		if err == nil && !visited[target] {
			visited[target] = true
			entries, err = os.ReadDir(directory)
		}
		if err != nil {
			d.problems = append(d.problems, invalid{fileError: asFileError(directory, err)})
		}
		for _, e := range entries {
			name := filepath.Join(directory, e.Name())
			info, err := os.Stat(name)
			isDocument := slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
			switch {
			case err == nil && info.IsDir():
				visit(name)
			case isDocument:
				files = append(files, name)
			}
		}
	}
	visit(path)
	return files, nil
}

func asFileError(path string, err error) fileError {
	if of, ok := errors.AsType[fileError](pathError(path, err)); ok {
		return of
	}
	return fileError{path, err}
}

// bytesOf reads a file, which must be one that ends.
func bytesOf(file string, in io.Reader) ([]byte, error) {
	if file != stdin {
		info, err := os.Stat(file)
		if err != nil {
			return nil, pathError(file, err)
		}
		// A pipe of the shell, as in "lint <(helm template .)", is open already.
		if !info.Mode().IsRegular() && !strings.HasPrefix(file, "/dev/fd/") && !strings.HasPrefix(file, "/proc/self/fd/") &&
			file != "/dev/stdin" {
			return nil, fileError{file, errors.New("is not a regular file")}
		}
		opened, err := os.Open(file)
		if err != nil {
			return nil, pathError(file, err)
		}
		defer opened.Close() //nolint:errcheck // only read
		in = opened
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	switch {
	case err != nil:
		return nil, pathError(file, err)
	case len(data) > maxFile:
		return nil, fileError{file, fmt.Errorf("is larger than %d MiB", maxFile>>20)} //nolint:mnd // bytes of a MiB
	}
	return data, nil
}

// textOf reads a file like [bytesOf], which must contain text.
func textOf(file string, in io.Reader) ([]byte, error) {
	data, err := bytesOf(file, in)
	if err == nil && bytes.IndexByte(data, 0) >= 0 {
		return nil, fileError{file, errors.New("is not text: it contains a null character")}
	}
	return data, err
}

func (d *documents) add(file string, in io.Reader) {
	data, err := textOf(file, in)
	if err != nil {
		d.problems = append(d.problems, invalid{fileError: asFileError(file, err)})
		return
	}
	result, err := d.Checked(data, document.Fields, input.KindNames(kinds.Older()))
	d.texts[file] = data
	if err != nil {
		d.problems = append(d.problems, invalid{fileError: fileError{file, err}})
		return
	}
	for _, r := range result.Documents {
		key := r.Resource.Key()
		d.keys = append(d.keys, key)
		if _, older := kinds.FindOlder(key.Type); older {
			d.older = append(d.older, key.Type)
		}
		if first, known := d.places[key]; known {
			d.again = append(d.again, again{key, first.file, file})
		}
		d.places[key] = place{file, r.Number}
	}
	for _, key := range result.LeftOut {
		d.others = append(d.others, phrase.Word(key.Type))
	}
	for _, p := range result.Problems {
		if !p.Warning {
			d.problems = append(d.problems, invalid{fileError{file, p}, p.Key, p.Number, p.Path.String(), p.Topic == def.Unknown})
		}
	}
}

// meshesOf returns the meshes to analyze: the one of the option, or those of the first documents
// that have any, or if none has, of the first ones with resources of a mesh. It notes resources of
// other meshes that may be mistakes.
func (o *options) meshesOf(all ...*documents) []string {
	meshes := []string{o.mesh}
	if o.mesh == "" {
		meshes = meshesIn(all)
	}
	for _, d := range all {
		described, others := map[string]bool{"": true}, map[string]bool{}
		for _, mesh := range meshes {
			described[mesh] = true
		}
		for _, key := range d.keys {
			described[nameOfMesh(key)] = true
		}
		for _, key := range d.keys {
			if !described[key.Mesh] {
				others[key.Mesh] = true
			}
		}
		if names := slices.Sorted(maps.Keys(others)); len(names) > 0 {
			fmt.Fprintf(o.err, "Note: ignored the resources of mesh %s, which no document describes.\n",
				phrase.And(phrase.Each(names, phrase.Word)...))
		}
	}
	return meshes
}

func meshesIn(all []*documents) []string {
	for _, name := range []func(kuma.Key) string{nameOfMesh, func(key kuma.Key) string { return key.Mesh }} {
		for _, d := range all {
			found := map[string]bool{}
			for _, key := range d.keys {
				found[name(key)] = true
			}
			delete(found, "")
			if len(found) > 0 {
				return slices.Sorted(maps.Keys(found))
			}
		}
	}
	return []string{kuma.DefaultMesh}
}

// nameOfMesh returns the name of a Mesh, empty for other resources.
func nameOfMesh(key kuma.Key) string {
	if key.Type != kuma.KindMesh {
		return ""
	}
	return key.Name
}

// nodesOf returns the documents of a file with their lines.
func (d *documents) nodesOf(file string) fileNodes {
	nodes, known := d.nodes[file]
	if known {
		return nodes
	}
	for decoder := yaml.NewDecoder(bytes.NewReader(d.texts[file])); ; {
		var node yaml.Node
		if decoder.Decode(&node) != nil {
			break
		}
		if len(node.Content) > 0 && node.Content[0].Tag != "!!null" { // which readers skip
			nodes = append(nodes, node.Content[0])
		}
	}
	d.nodes[file] = nodes
	return nodes
}

// place returns where a resource is, and the line of a path in it, or of the resource if it
// does not have the path. The file is empty for a resource that no document describes.
func (d *documents) place(key kuma.Key, path string) (file string, line int) {
	at, known := d.places[key]
	if !known {
		return "", 0
	}
	return at.file, d.line(at, path)
}

// line returns the line of a path in a document, or of the document if it does not have the path.
func (d *documents) line(at place, path string) int {
	nodes := d.nodesOf(at.file)
	if at.number < 1 || at.number > len(nodes) {
		return 1
	}
	node := nodes[at.number-1]
	line := node.Line
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(`.[]"`, r) }) {
		if node = d.child(node, step); node == nil {
			break
		}
		line = node.Line
	}
	return line
}

var lineInError = regexp.MustCompile(`line (\d+)`)

// placeOf returns the line of a problem.
func (d *documents) placeOf(p invalid) int {
	if p.number > 0 {
		return d.line(place{p.fileError.path, p.number}, p.path)
	}
	if m := lineInError.FindStringSubmatch(p.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return line
	}
	return 1
}

// child returns the element or the value of a node with an index or a key; nil if there is none.
func (d *documents) child(n *yaml.Node, step string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	values, known := d.values[n]
	if !known {
		values = map[string]*yaml.Node{}
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			values[n.Content[i].Value] = n.Content[i+1]
		}
		d.values[n] = values
	}
	return values[step]
}

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// world is a recorded world: see internal/rules/testdata/golden/README.md.
type world struct {
	name          string
	mesh          string
	zone          string   // of the control plane that answered; empty for a global one
	zones         []string // that belong to the global control plane; none without one
	informational bool
	resources     []object          // of resources.yaml
	files         map[string][]byte // by name
}

// worldSet are the worlds of one place: the directories, or an archive.
type worldSet struct {
	place  string // a directory, or a file
	worlds []*world
}

func (set worldSet) archived() bool { return strings.HasSuffix(set.place, ".tar.gz") }

// readWorlds reads the worlds in a directory and in the archives there.
func readWorlds(dir string) ([]worldSet, error) {
	loose, err := glob(dir, "*", "*")
	if err != nil {
		return nil, err
	}
	files := fileSet{}
	for _, file := range loose {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		files.add(filepath.ToSlash(file), data)
	}
	first, err := files.worlds(dir)
	if err != nil {
		return nil, err
	}
	sets := []worldSet{first}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if err != nil {
		return nil, err
	}
	for _, archive := range archives {
		files := fileSet{}
		if err := testworld.ReadArchive(archive, files.add); err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
		set, err := files.worlds(archive)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// fileSet contains files by world and name.
type fileSet map[string]map[string][]byte

func (f fileSet) add(name string, data []byte) {
	world, file := path.Base(path.Dir(name)), path.Base(name)
	if f[world] == nil {
		f[world] = map[string][]byte{}
	}
	f[world][file] = data
}

func (f fileSet) worlds(place string) (worldSet, error) {
	set := worldSet{place: place}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		w, err := newWorld(name, f[name])
		if err != nil {
			return set, fmt.Errorf("%s: world %s: %w", place, name, err)
		}
		set.worlds = append(set.worlds, w)
	}
	return set, nil
}

func newWorld(name string, files map[string][]byte) (*world, error) {
	about, err := decodeDocuments(files["case.yaml"])
	if err != nil {
		return nil, err
	}
	resources, err := decodeDocuments(files["resources.yaml"])
	if err != nil {
		return nil, err
	}
	if len(about) != 1 || len(resources) == 0 {
		return nil, fmt.Errorf("%d descriptions and %d resources", len(about), len(resources))
	}
	recordedBy := tree.Object(about[0]["controlPlane"])
	w := &world{name: name, mesh: tree.Text(about[0]["mesh"]), zone: tree.Text(recordedBy["zone"]), resources: resources, files: files}
	w.informational = about[0]["informational"] != nil
	if recordedBy["federated"] == true || recordedBy["mode"] == kuma.ModeGlobal {
		w.zones = tree.Strings(recordedBy["zones"])
	}
	return w, nil
}

// answerFile is the name of the file with the answer for a dataplane.
func answerFile(dataplane string) string { return "rules." + dataplane + ".json" }

func isAnswer(file string) bool { return strings.HasPrefix(file, "rules.") }

// update writes the resources and answers of a control plane into the files of
// the world, and reports whether anything changed.
func (w *world) update(stored []object, answers map[string]any) (changed bool, err error) {
	files := maps.Clone(w.files)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return isAnswer(name) })
	if recorded, err := decodeDocuments(w.files["resources.yaml"]); err != nil || !slices.EqualFunc(recorded, stored, sameDocument) {
		if files["resources.yaml"], err = encodeDocuments(stored); err != nil {
			return false, err
		}
	}
	for dataplane, answered := range answers {
		name := answerFile(dataplane)
		recorded, err := tree.DecodeJSON(w.files[name])
		if answered = keep("", recorded, answered); err == nil && tree.Equal(recorded, answered) {
			files[name] = w.files[name]
		} else if files[name], err = indented(answered); err != nil {
			return false, err
		}
	}
	changed = !maps.EqualFunc(w.files, files, bytes.Equal)
	w.files = files
	return changed, nil
}

// encodeDocuments formats resources as YAML.
func encodeDocuments(resources []object) ([]byte, error) {
	var out []byte
	for _, r := range resources {
		text, err := tree.EncodeYAML(r)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", key(r), err)
		}
		out = append(append(out, "---\n"...), text...)
	}
	return out, nil
}

func sameDocument(a, b object) bool { return tree.Equal(a, b) }

func key(r object) kuma.Key {
	return kuma.Key{Type: tree.Text(r["type"]), Mesh: tree.Text(r["mesh"]), Name: tree.Text(r["name"])}
}

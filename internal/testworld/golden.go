package testworld

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// World is a set of resources that a control plane stored, with its answers.
// Worlds are measurements: only `make record` rewrites them.
type World struct {
	Name          string
	Mesh          string   // the one of the answer
	Zone          string   // of the control plane that answered; empty for a global one
	Zones         []string // that belong to its global control plane; none without one
	Release       kuma.Release
	Informational bool // the control plane's answers are known to be arbitrary
	YAML          string
	Resources     []kuma.Resource // of the YAML
	Answers       map[string]any  // of the inspect API, decoded, by dataplane
}

// The files of a world, besides its answers.
const (
	CaseFile      = "case.yaml"
	ResourcesFile = "resources.yaml"
)

const (
	answerPrefix = "rules."
	answerSuffix = ".json"
)

// AnswerFile returns the name of the file with the answer about a Dataplane.
func AnswerFile(dataplane string) string { return answerPrefix + dataplane + answerSuffix }

// Golden returns the recorded worlds in order of name: those of
// internal/rules/testdata/golden and of the archives in it, or those of the
// directory that the environment variable GOLDEN_DIR names.
func Golden(tb testing.TB) []World {
	tb.Helper()
	if dir := os.Getenv("GOLDEN_DIR"); dir != "" {
		return readWorlds(tb, dir)
	}
	dir := Path("internal", "rules", "testdata", "golden")
	return readWorlds(tb, append(Files(tb, filepath.Join(dir, "*.tar.gz")), dir)...)
}

// Releases returns the worlds that were recorded on older releases: those of
// internal/rules/testdata/releases.
func Releases(tb testing.TB) []World {
	tb.Helper()
	var worlds []World
	for _, dir := range Files(tb, Path("internal", "rules", "testdata", "releases", "[23].*")) {
		worlds = append(worlds, readWorlds(tb, dir)...)
	}
	return worlds
}

// readWorlds reads the worlds of a directory and of archives.
func readWorlds(tb testing.TB, places ...string) []World {
	tb.Helper()
	files := WorldFiles{}
	for _, place := range places {
		if err := files.Read(place); err != nil {
			tb.Fatal(err)
		}
	}
	var worlds []World
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := ParseWorld(name, files[name])
		if err != nil {
			tb.Fatal(err)
		}
		worlds = append(worlds, w)
	}
	return worlds
}

// WorldFiles are the files of worlds, by the name of the world and that of the file.
type WorldFiles map[string]map[string][]byte

// Read adds the worlds of a directory or an archive.
func (f WorldFiles) Read(place string) error {
	add := func(name string, data []byte) {
		world, file := path.Base(path.Dir(name)), path.Base(name)
		if f[world] == nil {
			f[world] = map[string][]byte{}
		}
		f[world][file] = data
	}
	if strings.HasSuffix(place, ".tar.gz") {
		return readArchive(place, add)
	}
	files, err := filepath.Glob(filepath.Join(place, "*", "*"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s contains no worlds", place)
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		add(filepath.ToSlash(file), data)
	}
	return nil
}

// ParseWorld reads the files of a world.
func ParseWorld(name string, files map[string][]byte) (World, error) {
	w := World{Name: name, YAML: string(files[ResourcesFile]), Answers: map[string]any{}}
	descriptions, err := tree.DecodeYAML(files[CaseFile])
	if err == nil && len(descriptions) != 1 {
		err = fmt.Errorf("%d descriptions, want one", len(descriptions))
	}
	if err == nil {
		w.Resources, err = readResources(files[ResourcesFile])
	}
	if err != nil {
		return w, fmt.Errorf("world %s: %w", name, err)
	}
	about := tree.Root(descriptions[0])
	w.Informational = !about.Get("informational").Absent()
	w.Mesh, _ = about.Get("mesh").Text()
	by := about.Get("controlPlane")
	w.Zone, _ = by.Get("zone").Text()
	if by.Get("federated").True() || by.Get("mode").Value() == kuma.ModeGlobal {
		w.Zones = tree.Strings(by.Get("zones").Value())
	}
	version, _ := by.Get("version").Text()
	w.Release = kuma.ParseRelease(version)
	for file, data := range files {
		if rest, ok := strings.CutPrefix(file, answerPrefix); ok {
			dataplane := strings.TrimSuffix(rest, answerSuffix)
			if w.Answers[dataplane], err = tree.DecodeJSON(data); err != nil {
				return w, fmt.Errorf("world %s: %s: %w", name, file, err)
			}
		}
	}
	return w, nil
}

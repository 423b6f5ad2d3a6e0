package testworld

import (
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
	Mesh          string // the one of the answer
	Release       kuma.Release
	Informational bool // the control plane's answers are known to be arbitrary
	YAML          string
	Resources     []kuma.Resource // of the YAML
	Answers       map[string]any  // of the inspect API, decoded, by dataplane
}

// The files of a world. The name of an answer contains that of the dataplane.
const (
	caseFile      = "case.yaml"
	resourcesFile = "resources.yaml"
	answerPrefix  = "rules."
	answerSuffix  = ".json"
)

// Golden returns the recorded worlds in order of name: those of
// internal/rules/testdata/golden and of the archives in it, or those of the
// directory that the environment variable GOLDEN_DIR names.
func Golden(tb testing.TB) []World {
	tb.Helper()
	if dir := os.Getenv("GOLDEN_DIR"); dir != "" {
		return readWorlds(tb, dir)
	}
	dir := filepath.Join(moduleRoot(tb), "internal", "rules", "testdata", "golden")
	return readWorlds(tb, dir, Files(tb, filepath.Join(dir, "*.tar.gz"))...)
}

// Releases returns the worlds that were recorded on older releases: those of
// internal/rules/testdata/releases.
func Releases(tb testing.TB) []World {
	tb.Helper()
	var worlds []World
	for _, dir := range Files(tb, filepath.Join(moduleRoot(tb), "internal", "rules", "testdata", "releases", "2.*")) {
		worlds = append(worlds, readWorlds(tb, dir)...)
	}
	return worlds
}

// readWorlds reads the worlds of a directory and of archives.
func readWorlds(tb testing.TB, dir string, archives ...string) []World {
	tb.Helper()
	files := map[string]map[string][]byte{} // by world, by name
	add := func(name string, data []byte) {
		world, file := path.Base(path.Dir(name)), path.Base(name)
		if files[world] == nil {
			files[world] = map[string][]byte{}
		}
		files[world][file] = data
	}
	for _, file := range archives {
		if err := ReadArchive(file, add); err != nil {
			tb.Fatal(err)
		}
	}
	for _, file := range Files(tb, filepath.Join(dir, "*", "*")) {
		add(filepath.ToSlash(file), []byte(Text(tb, file)))
	}
	var worlds []World
	for _, name := range slices.Sorted(maps.Keys(files)) {
		worlds = append(worlds, newWorld(tb, name, files[name]))
	}
	return worlds
}

func newWorld(tb testing.TB, name string, files map[string][]byte) World {
	tb.Helper()
	about := tree.Root(Document(tb, string(files[caseFile])))
	w := World{
		Name:          name,
		Informational: !about.Get("informational").Absent(),
		YAML:          string(files[resourcesFile]),
		Answers:       map[string]any{},
	}
	w.Resources = Resources(tb, w.YAML)
	w.Mesh, _ = about.Get("mesh").Text()
	version, _ := about.Get("controlPlane", "version").Text()
	w.Release = kuma.ParseRelease(version)
	for file, data := range files {
		if rest, ok := strings.CutPrefix(file, answerPrefix); ok {
			w.Answers[strings.TrimSuffix(rest, answerSuffix)] = JSON(tb, string(data))
		}
	}
	return w
}

// moduleRoot returns the directory of go.mod, because tests run in that of
// their package.
func moduleRoot(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			tb.Fatal("the tests do not run inside the module")
		}
		dir = filepath.Dir(dir)
	}
}

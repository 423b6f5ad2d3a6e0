package testworld

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// Golden iterates over the recorded worlds by their number, in order of name: those of
// internal/rules/testdata/golden and of the archives in it, or those of the
// directory that the environment variable GOLDEN_DIR names. Patterns of [path.Match]
// limit it to the names that match one of them. Each world is only decoded when it comes.
func Golden(tb testing.TB, patterns ...string) iter.Seq2[int, World] {
	tb.Helper()
	return golden(tb, func(int) bool { return true }, patterns...)
}

// GoldenSample is [Golden] for those of the worlds that a test [Runs].
func GoldenSample(tb testing.TB) iter.Seq2[int, World] {
	tb.Helper()
	return golden(tb, Runs)
}

func golden(tb testing.TB, include func(n int) bool, patterns ...string) iter.Seq2[int, World] {
	tb.Helper()
	files := goldenFiles(tb)
	names := slices.Sorted(maps.Keys(files))
	included := map[string]bool{}
	for _, pattern := range patterns {
		matched := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			ok, err := path.Match(pattern, name)
			return !ok || err != nil
		})
		if len(matched) == 0 {
			tb.Fatalf("no recorded world matches %q", pattern)
		}
		for _, name := range matched {
			included[name] = true
		}
	}
	return func(yield func(int, World) bool) {
		for n, name := range names {
			if include(n) && (len(patterns) == 0 || included[name]) && !yield(n, parseWorld(tb, name, files[name])) {
				return
			}
		}
	}
}

// goldenRead holds what [goldenFiles] has read.
var goldenRead struct {
	sync.Mutex
	files WorldFiles
}

// goldenFiles reads the files of the recorded worlds once.
func goldenFiles(tb testing.TB) WorldFiles {
	tb.Helper()
	goldenRead.Lock()
	defer goldenRead.Unlock()
	if goldenRead.files == nil {
		places := []string{os.Getenv("GOLDEN_DIR")}
		if places[0] == "" {
			dir := Path("internal", "rules", "testdata", "golden")
			places = append(Files(tb, filepath.Join(dir, "*.tar.gz")), dir)
		}
		goldenRead.files = readFiles(tb, places...)
	}
	return goldenRead.files
}

// Releases returns the worlds that were recorded on older releases: those of
// internal/rules/testdata/releases.
func Releases(tb testing.TB) []World {
	tb.Helper()
	var worlds []World
	for _, dir := range Files(tb, Path("internal", "rules", "testdata", "releases", "[23].*")) {
		files := readFiles(tb, dir)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			worlds = append(worlds, parseWorld(tb, name, files[name]))
		}
	}
	return worlds
}

// readFiles reads the files of directories and archives.
func readFiles(tb testing.TB, places ...string) WorldFiles {
	tb.Helper()
	files := WorldFiles{}
	for _, place := range places {
		if err := files.Read(place); err != nil {
			tb.Fatal(err)
		}
	}
	return files
}

func parseWorld(tb testing.TB, name string, files map[string][]byte) World {
	tb.Helper()
	w, err := ParseWorld(name, files)
	if err != nil {
		tb.Fatal(err)
	}
	return w
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

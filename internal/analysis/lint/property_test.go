package lint_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestRecordedWorlds looks at every mesh of the corpus of the engine: it neither
// panics nor depends on the order of the resources, and its findings are about
// resources that are there.
func TestRecordedWorlds(t *testing.T) {
	t.Parallel()
	worlds := recordedWorlds(t)
	found := 0
	for name, world := range worlds {
		var meshes []string
		known := map[kuma.Key]bool{}
		for _, r := range world {
			known[r.Key()] = true
			if r.Type == kuma.KindMesh {
				meshes = append(meshes, r.Name)
			}
		}
		for _, m := range meshes {
			findings := lint.Mesh(world, m)
			found += len(findings)
			for _, f := range findings {
				if !known[f.Resource] || f.Message == "" || f.Suggestion == "" {
					t.Errorf("%s: %+v", name, f)
				}
			}
			if len(findings)%4 > 0 {
				continue // it takes long, and one world in four shows as much
			}
			shuffled := append([]kuma.Resource{}, world...)
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if diff := cmp.Diff(findings, lint.Mesh(shuffled, m)); diff != "" {
				t.Errorf("%s: in another order (-want +got):\n%s", name, diff)
			}
		}
	}
	if found == 0 {
		t.Error("no finding in any world")
	}
	t.Logf("%d findings in %d worlds", found, len(worlds))
}

// TestWrongTypes replaces every value of the documents of all cases by values of
// other types, one at a time: a member of a wrong type counts as absent.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "finding.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, file := range files {
		world := load(t, file)
		for i := range world {
			original := world[i]
			world[i] = original.Clone()
			eachPlace(world[i].Body, func() {
				tried++
				lint.Mesh(world, kuma.DefaultMesh)
			})
			world[i] = original
		}
	}
	t.Logf("%d documents", tried)
}

// eachPlace calls use after each replacement of a value below v, and undoes it.
func eachPlace(v any, use func()) {
	wrong := []any{nil, "x", json.Number("-1"), []any{"x", nil}, object{"kind": true, "x": []any{}}}
	switch v := v.(type) {
	case map[string]any:
		for k, before := range v {
			for _, w := range wrong {
				v[k] = w
				use()
			}
			v[k] = before
			eachPlace(before, use)
		}
	case []any:
		for i, before := range v {
			for _, w := range wrong {
				v[i] = w
				use()
			}
			v[i] = before
			eachPlace(before, use)
		}
	}
}

// recordedWorlds returns the resources of the worlds that the engine is tested
// with, by name.
func recordedWorlds(t *testing.T) map[string][]kuma.Resource {
	t.Helper()
	dir := filepath.Join("..", "..", "rules", "testdata", "golden")
	worlds := map[string][]kuma.Resource{}
	add := func(name string, data []byte) {
		docs, err := tree.DecodeYAML(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range docs {
			r, err := kuma.FromDocument(doc, kinds.Form)
			if err != nil {
				t.Fatal(err)
			}
			worlds[name] = append(worlds[name], r)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "resources.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		add(filepath.Base(filepath.Dir(file)), []byte(read(t, file)))
	}
	f, err := os.Open(filepath.Join(dir, "corpus.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return worlds
		}
		if err != nil {
			t.Fatal(err)
		}
		if path.Base(header.Name) != "resources.yaml" {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		add(path.Base(path.Dir(header.Name)), data)
	}
}

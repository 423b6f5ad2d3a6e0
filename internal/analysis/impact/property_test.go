package impact

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestRestrictedIsFull: what is computed once, and only where something can have
// changed, is what computing everything gives, whatever is removed or added.
func TestRestrictedIsFull(t *testing.T) {
	changed, unchanged := 0, 0
	eachChange(t, func(t *testing.T, before, after []kuma.Resource, meshName string) {
		t.Helper()
		got, err := Compare(before, after, meshName)
		if err != nil {
			t.Fatal(err)
		}
		want := compareFully(t, before, after, meshName)
		if diff := cmp.Diff(want, got.Groups, cmpopts.IgnoreUnexported(Change{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("groups (-full +restricted):\n%s", diff)
		}
		changed += len(got.Changed())
		unchanged += len(got.Unchanged)
	})
	if changed == 0 || unchanged == 0 {
		t.Errorf("%d dataplanes change, %d do not", changed, unchanged)
	}
	t.Logf("%d dataplanes change, %d do not", changed, unchanged)
}

// compareFully compares all types of all dataplanes, each anew.
func compareFully(t *testing.T, before, after []kuma.Resource, meshName string) []Group {
	t.Helper()
	c := comparison{before: newSide(before, meshName), after: newSide(after, meshName), types: wanted(nil)}
	c.findChanges()
	common, _, _ := split(c.before.dataplanes, c.after.dataplanes)
	outcomes := make([][]*outcome, len(common))
	for i, name := range common {
		for _, policyType := range c.types {
			o := &outcome{}
			o.compare(&c, name, policyType)
			if o.err != nil {
				t.Fatal(o.err)
			}
			if len(o.changes) > 0 {
				outcomes[i] = append(outcomes[i], o)
			}
		}
	}
	var out Impact
	out.group(common, outcomes)
	return out.Groups
}

// TestThereAndBack: going back changes the same values the other way round.
func TestThereAndBack(t *testing.T) {
	eachChange(t, func(t *testing.T, before, after []kuma.Resource, meshName string) {
		t.Helper()
		there, err := Compare(before, after, meshName)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Compare(after, before, meshName)
		if err != nil {
			t.Fatal(err)
		}
		rows := there.Rows()
		for i := range rows {
			rows[i].Before, rows[i].After = rows[i].After, rows[i].Before
		}
		sortRows(rows)
		if diff := cmp.Diff(rows, back.Rows(), cmpopts.IgnoreUnexported(Change{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("rows (-there, reversed +back):\n%s", diff)
		}
	})
}

// TestNothingChanges also when documents are shuffled.
func TestNothingChanges(t *testing.T) {
	for name, world := range goldenWorlds(t) {
		shuffled := slices.Clone(world.resources)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		i, err := Compare(world.resources, shuffled, world.mesh)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(i.Groups)+len(i.Idle)+len(i.Added)+len(i.Removed) > 0 {
			t.Errorf("%s: %s", name, i.Summary())
		}
	}
}

// TestSummaryIsStable: the order of documents does not show.
func TestSummaryIsStable(t *testing.T) {
	eachChange(t, func(t *testing.T, before, after []kuma.Resource, meshName string) {
		t.Helper()
		first, err := Compare(before, after, meshName)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(before)
		slices.Reverse(after)
		second, err := Compare(before, after, meshName)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.Summary(), second.Summary()); diff != "" {
			t.Errorf("summary (-first +second):\n%s", diff)
		}
	})
}

// eachChange removes about a tenth of the resources of each recorded world and
// asks about the removal and about adding them again.
func eachChange(t *testing.T, test func(t *testing.T, before, after []kuma.Resource, meshName string)) {
	t.Helper()
	worlds := goldenWorlds(t)
	for n, name := range slices.Sorted(maps.Keys(worlds)) {
		t.Run(name, func(t *testing.T) {
			world := worlds[name]
			random := rand.New(rand.NewPCG(uint64(n), 0))
			after := slices.DeleteFunc(slices.Clone(world.resources), func(r kuma.Resource) bool {
				return r.Type != kuma.KindMesh && random.IntN(10) == 0
			})
			test(t, slices.Clone(world.resources), slices.Clone(after), world.mesh)
			test(t, after, slices.Clone(world.resources), world.mesh)
		})
	}
}

// recorded is a world of the corpus of package rules.
type recorded struct {
	mesh      string
	resources []kuma.Resource
}

func goldenWorlds(t *testing.T) map[string]recorded {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "rules", "testdata", "golden", "corpus.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	worlds := map[string]recorded{}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(path.Dir(header.Name))
		world := worlds[name]
		switch path.Base(header.Name) {
		case "case.yaml":
			about, _ := decode(t, archive)[0].(map[string]any)
			world.mesh, _ = about["mesh"].(string)
		case "resources.yaml":
			for _, doc := range decode(t, archive) {
				r, err := kuma.FromDocument(doc, kinds.Form)
				if err != nil {
					t.Fatal(err)
				}
				world.resources = append(world.resources, r)
			}
		default:
			continue
		}
		worlds[name] = world
	}
	if len(worlds) == 0 {
		t.Fatal("the corpus has no worlds")
	}
	return worlds
}

func decode(t *testing.T, from io.Reader) []any {
	t.Helper()
	data, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := tree.DecodeYAML(data)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// fieldMesh is the mesh of the documents whose fields are tried.
const fieldMesh = "fields"

// seeds is the number of documents that are generated with a field. It is tried in the smallest ones,
// two or, if none of those is stored, more.
const (
	seeds   = 12
	samples = 2
)

// recordFields records what the control plane does with each declared field, as one column of
// internal/kinds/testdata/fields.tsv.
func recordFields(ctx context.Context, binary string, release kuma.Release) error {
	release = kuma.ParseRelease(release.String())
	return deployed(ctx, binary, nil, func(d *oracle.Deployment) error {
		s := d.Sites[0]
		if err := createMesh(ctx, s, fieldMesh); err != nil {
			return err
		}
		var mu sync.Mutex
		recorded := map[testworld.FieldKey]testworld.FieldAnswers{}
		add := func(key testworld.FieldKey, a testworld.FieldAnswers) {
			mu.Lock()
			defer mu.Unlock()
			recorded[key] = a
		}
		index, err := s.Get(ctx, "/_resources")
		if err != nil {
			return err
		}
		offered := tree.Objects(index.Document()["resources"])
		for _, k := range kinds.All() {
			i := slices.IndexFunc(offered, func(o object) bool { return o["name"] == k.Name })
			if i < 0 {
				continue
			}
			add(testworld.FieldKey{Kind: k.Name}, testworld.FieldAnswers{
				Kind: without(offered[i], "name", "pluralDisplayName", "readOnly", "singularDisplayName"),
			})
			if offered[i]["path"] != k.Path { // as that of GlobalSecret in 2.9
				continue
			}
			err = oracle.Each(ctx, oracle.Requests, testworld.DeclaredFields(k), func(ctx context.Context, f testworld.DeclaredField) error {
				a, known, err := tryField(ctx, s, k, f, sampleOf(k, f, release))
				if err == nil && known {
					add(f.FieldKey, a)
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
		}
		return rewriteColumn(verdicts+"/fields.tsv", release, recorded)
	})
}

// rewriteColumn replaces what a table has about a release.
func rewriteColumn[T any](file string, release kuma.Release, facts map[testworld.FieldKey]T) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	table, err := testworld.ReadFieldTable[T](string(data))
	if err != nil {
		return err
	}
	table.Drop(release)
	for key, f := range facts {
		table.Add(key, release, f)
	}
	text, err := table.Encode()
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// fieldSample is what a field is tried in, and with.
type fieldSample struct {
	places []fieldPlace // in documents for the release
	values []any        // of the field in documents for any release
}

// fieldPlace is the place of a field in a valid document, which may not have it.
type fieldPlace struct {
	document object
	at       tree.Path
}

// sampleOf generates documents that have the field. If the release does not
// have the field, or only a control plane writes it, they have the object around it, with
// values of other releases.
func sampleOf(k def.Kind, f testworld.DeclaredField, release kuma.Release) fieldSample {
	own := documentsWith(k, f.Path, release)
	s := fieldSample{places: own}
	for _, of := range []kuma.Release{kuma.Newest2(), {Major: 3}} {
		if len(own) == 0 {
			own = documentsWith(k, f.Path, of)
		}
	}
	s.values = phrase.Each(own, func(p fieldPlace) any { return tree.At(p.document, p.at) })
	if end := strings.LastIndexByte(f.Path, '.'); end >= 0 && len(s.places) == 0 {
		for _, p := range documentsWith(k, strings.TrimSuffix(f.Path[:end], "[]"), release) {
			if _, isList := tree.At(p.document, p.at).([]any); isList {
				p.at = p.at.Child(0)
			}
			s.places = append(s.places, fieldPlace{p.document, p.at.Child(f.Name)})
		}
	}
	return s
}

// documentsWith returns some valid documents that have a field, or the spec, smallest first.
func documentsWith(k def.Kind, path string, release kuma.Release) []fieldPlace {
	names := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
	if !k.Flat {
		names = names[1:]
	}
	var found []fieldPlace
	for seed := range uint64(seeds) {
		o := randomworld.Options{Mesh: fieldMesh, Zone: "zone-1", Release: release}
		r, ok := randomworld.DocumentWith(seed, k, names, o)
		if !ok {
			continue
		}
		var at tree.Path
		def.Walk(k.Root(), tree.Root(r.Body), func(p def.Place) bool {
			if at == nil && !p.Element && pathOfField(p.Path) == path {
				at = p.Path
			}
			return at == nil
		})
		if at != nil {
			found = append(found, fieldPlace{r.Document(), at})
		}
	}
	slices.SortStableFunc(found, func(a, b fieldPlace) int {
		return len(phrase.JSON(a.document)) - len(phrase.JSON(b.document))
	})
	return found
}

// pathOfField returns the path of a declared field.
func pathOfField(p tree.Path) string {
	var b strings.Builder
	for i, step := range p {
		switch step := step.(type) {
		case int:
			b.WriteString("[]")
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

// outcome is what happens to a candidate; a later one is better.
type outcome int

const (
	rejected outcome = iota
	depends          // the document is rejected for something else
	stored
)

// tryField tries the candidates for a field in several documents, because some values need others.
// It reports whether any value of the field was stored.
func tryField(ctx context.Context, s *oracle.Site, k def.Kind, f testworld.DeclaredField, in fieldSample) (a testworld.FieldAnswers,
	known bool, err error,
) {
	candidates := f.Candidates()
	outcomes, results := make([]outcome, len(candidates)), make([]any, len(candidates))
	for i, p := range in.places {
		if i >= samples && known {
			break
		}
		document, at := tree.Object(tree.Clone(p.document)), p.at
		document["name"] = fmt.Sprintf("field-%x", sha256.Sum256([]byte(f.Path)))[:32]
		for c, v := range candidates {
			if outcomes[c] == stored || i > 0 && outcomes[c] == rejected && !sameJSON(v, tree.At(p.document, at)) {
				continue
			}
			o, result, err := tryValue(ctx, s, document, at, v, k.Name != kuma.KindMesh)
			if err != nil {
				return a, false, err
			}
			if o == rejected && inContext(k, f, document, at, v, s.Info.Release) {
				o = depends
			}
			if o > outcomes[c] {
				outcomes[c], results[c] = o, result
			}
		}
		for _, v := range in.values {
			if known {
				break
			}
			_, result, err := tryValue(ctx, s, document, at, v, k.Name != kuma.KindMesh)
			if err != nil {
				return a, false, err
			}
			known = result != nil
		}
		path, err := oracle.DocumentPath(document)
		if err == nil {
			err = remove(ctx, s, path)
		}
		if err != nil {
			return a, false, err
		}
	}
	for c, v := range candidates {
		result := results[c]
		switch {
		case outcomes[c] == depends:
			a.Depends = append(a.Depends, v)
		case v == nil && outcomes[c] == rejected:
			a.Required = true
		case outcomes[c] == rejected:
		case v == nil:
			a.Default = result
		case result == nil:
			a.Drops = append(a.Drops, v)
		case tree.Equal(v, result):
			a.Keeps = append(a.Keeps, v)
		default:
			a.Changes = append(a.Changes, [2]any{v, result})
		}
	}
	return a, known, nil
}

// inContext reports whether a value is only rejected because of the rest of the document, according
// to the checks of its kind.
func inContext(k def.Kind, f testworld.DeclaredField, document object, at tree.Path, v any, r kuma.Release) bool {
	alone, _ := f.Document(k, v)
	return len(def.Errors(f.Alone(k).ValidateIn(alone, r))) == 0 &&
		slices.ContainsFunc(def.Errors(k.ValidateIn(with(document, at, v), r)), func(p def.Problem) bool { return within(p.Path, at) })
}

// sameJSON reports whether two values have the same JSON type, so that the second one being
// accepted says something about the first.
func sameJSON(v, other any) bool { return reflect.TypeOf(v) == reflect.TypeOf(other) }

// tryValue sends a document with a value for a field, nil for none, and returns what is stored there.
func tryValue(ctx context.Context, s *oracle.Site, document object, at tree.Path, v any, recreate bool) (outcome, any, error) {
	document = with(document, at, v)
	got, err := s.PutDocument(ctx, document)
	if err != nil {
		return rejected, nil, err
	}
	switch {
	case got.Accepted():
	case got.Status != http.StatusBadRequest && got.Status != 0: // 0: it closes the connection after a panic
		return rejected, nil, fmt.Errorf("%s: status %d: %v", phrase.JSON(document), got.Status, got.Body)
	default:
		blamed := tree.Objects(got.Document()["invalid_parameters"])
		if len(blamed) == 0 || slices.ContainsFunc(blamed, func(violation object) bool {
			return within(tree.ParsePath(tree.Text(violation["field"])), at)
		}) {
			return rejected, nil, nil
		}
		return depends, nil, nil
	}
	path, err := oracle.DocumentPath(document)
	if err != nil {
		return rejected, nil, err
	}
	result, err := s.Get(ctx, path)
	if err != nil {
		return rejected, nil, err
	}
	if recreate { // because an update has other rules; but it takes long to create a mesh
		err = remove(ctx, s, path)
	}
	return stored, tree.At(result.Body, at), err
}

// with returns a document with another value for a field, nil for none.
func with(document object, at tree.Path, v any) object {
	document = tree.Object(tree.Clone(document))
	name, _ := at[len(at)-1].(string)
	if around := tree.Object(tree.At(document, at.Parent())); v == nil {
		delete(around, name)
	} else {
		around[name] = v
	}
	return document
}

// within reports whether a path leads to a place or below it.
func within(path, place tree.Path) bool {
	return len(path) >= len(place) && tree.ComparePaths(path[:len(place)], place) == 0
}

package testworld

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Resources reads YAML documents in universal or Kubernetes format. A string
// may contain several, separated by "---".
func Resources(tb testing.TB, texts ...string) []kuma.Resource {
	tb.Helper()
	resources, err := readResources([]byte(strings.Join(texts, "\n---\n")))
	if err != nil {
		tb.Fatal(err)
	}
	return resources
}

func readResources(text []byte) ([]kuma.Resource, error) {
	documents, err := tree.DecodeYAML(text)
	if err != nil {
		return nil, err
	}
	resources := make([]kuma.Resource, len(documents))
	for i, document := range documents {
		if resources[i], err = kuma.FromDocument(document, kinds.Form); err != nil {
			return nil, err
		}
	}
	return resources, nil
}

// Resource reads a string that contains one document in YAML or JSON.
func Resource(tb testing.TB, text string) kuma.Resource {
	tb.Helper()
	return FromDocument(tb, Document(tb, text))
}

// FromDocument returns the resource that a decoded document describes.
func FromDocument(tb testing.TB, document any) kuma.Resource {
	tb.Helper()
	r, err := kuma.FromDocument(document, kinds.Form)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// Documents decodes a stream of YAML documents that are objects.
func Documents(tb testing.TB, text string) []map[string]any {
	tb.Helper()
	docs, err := tree.DecodeYAML([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return objects(tb, docs)
}

// Document decodes a string that contains an object in YAML or JSON.
func Document(tb testing.TB, text string) map[string]any {
	tb.Helper()
	docs := Documents(tb, text)
	if len(docs) != 1 {
		tb.Fatalf("%d documents, want one", len(docs))
	}
	return docs[0]
}

// Edited replaces strings in a document, given in pairs of old and new, one
// occurrence each. A string that does not occur fails the test.
func Edited(tb testing.TB, document string, pairs ...string) string {
	tb.Helper()
	for pair := range slices.Chunk(pairs, 2) {
		if !strings.Contains(document, pair[0]) {
			tb.Fatalf("%q is not in the document:\n%s", pair[0], document)
		}
		document = strings.Replace(document, pair[0], pair[1], 1)
	}
	return document
}

// JSON decodes a string in JSON.
func JSON(tb testing.TB, text string) any {
	tb.Helper()
	v, err := tree.DecodeJSON([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// JSONObjects decodes a list of objects in JSON, such as recorded writes.
func JSONObjects(tb testing.TB, text string) []map[string]any {
	tb.Helper()
	list, ok := JSON(tb, text).([]any)
	if !ok {
		tb.Fatal("the JSON document is not a list")
	}
	return objects(tb, list)
}

func objects(tb testing.TB, values []any) []map[string]any {
	tb.Helper()
	out := make([]map[string]any, len(values))
	for i, v := range values {
		o, ok := v.(map[string]any)
		if !ok {
			tb.Fatalf("element %d is %T, want an object", i, v)
		}
		out[i] = o
	}
	return out
}

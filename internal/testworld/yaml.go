package testworld

import (
	"os"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Resources reads YAML documents in universal or Kubernetes format. A text may hold
// several, separated by "---".
func Resources(tb testing.TB, texts ...string) []kuma.Resource {
	tb.Helper()
	var resources []kuma.Resource
	for _, doc := range Documents(tb, strings.Join(texts, "\n---\n")) {
		r, err := kuma.FromDocument(doc, kinds.Form)
		if err != nil {
			tb.Fatal(err)
		}
		resources = append(resources, r)
	}
	return resources
}

// Documents decodes a stream of YAML documents.
func Documents(tb testing.TB, text string) []any {
	tb.Helper()
	docs, err := tree.DecodeYAML([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return docs
}

// Text returns what a file holds.
func Text(tb testing.TB, file string) string {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

package configuration_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func file(t *testing.T, text string) string {
	t.Helper()
	got, err := configuration.File(t.Context(), testworld.Resources(t, text), configuration.Options{Imports: true})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestFile compares the configuration of the resources in testdata/file.
func TestFile(t *testing.T) {
	t.Parallel()
	for _, documents := range testworld.Files(t, "testdata/file/*.yaml") {
		name := strings.TrimSuffix(documents, ".yaml")
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			testworld.Want(t, name+".tf", file(t, testworld.Text(t, documents)))
		})
	}
	if got := file(t, ""); got != "" {
		t.Errorf("configuration of no resources:\n%s", got)
	}
}

// TestChainOfReferences checks that resources that each refer to the two before them are
// written without following every path through them: of those, there are 10^20.
func TestChainOfReferences(t *testing.T) {
	t.Parallel()
	const length = 100
	var docs strings.Builder
	for i := range length {
		fmt.Fprintf(&docs, "---\n{type: MeshHTTPRoute, mesh: shop, name: r-%03d, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r-%03d}}, {targetRef: {kind: MeshHTTPRoute, name: r-%03d}}]}}\n", i, i-1, i-2)
	}
	if references := strings.Count(file(t, docs.String()), ".name\n"); references != 2*length-3 {
		t.Errorf("%d references", references)
	}
}

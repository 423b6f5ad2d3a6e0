package configuration_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func file(t *testing.T, text string) string {
	t.Helper()
	got, err := configuration.File(testworld.Resources(t, text), configuration.Options{Imports: true})
	testworld.NoError(t, err)
	return got
}

// TestFile compares the configuration of the resources in testdata/file.
func TestFile(t *testing.T) {
	t.Parallel()
	for _, documents := range testworld.Files(t, "testdata/file/*.yaml") {
		name := strings.TrimSuffix(documents, ".yaml")
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text := file(t, testworld.Text(t, documents))
			testworld.Want(t, name+".tf", text)
			if string(hclwrite.Format([]byte(text))) != text {
				t.Error("the configuration is not formatted")
			}
		})
	}
	if got := file(t, ""); got != "" {
		t.Errorf("configuration of no resources:\n%s", got)
	}
}

// TestMemoryOfConfigurationIsLinear compares what is allocated for meshes of different sizes.
func TestMemoryOfConfigurationIsLinear(t *testing.T) { //nolint:paralleltest // measures the process
	allocated := func(policies int) uint64 {
		resources := testworld.Large(testworld.Size{Policies: policies, Services: 10, Dataplanes: 10})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := configuration.File(resources, configuration.Options{Imports: true}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(1)
	if few, many := allocated(400), allocated(4000); many > 11*few {
		t.Errorf("%d bytes for 400 policies, and %d for 4,000", few, many)
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

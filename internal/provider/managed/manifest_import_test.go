package managed

import (
	"strings"
	"testing"
)

// TestManifestImportIDNamesTheForm checks that the error about an incomplete ID shows the
// whole form, and a complete ID.
func TestManifestImportIDNamesTheForm(t *testing.T) {
	t.Parallel()
	for id, example := range map[string]string{
		"MeshService/web":             `such as "MeshService/default/web"`,
		"Mesh/default/web":            `such as "Mesh/web"`,
		"default/web":                 "such as MeshService/default/web",
		"MeshService/default/web/one": `such as "MeshService/default/one"`,
	} {
		_, err := (&manifestResource{}).parseID(id)
		if err == nil || !strings.Contains(err.Error(), "Use TYPE/MESH/NAME, "+example) {
			t.Errorf("%s: the error is %v", id, err)
		}
	}
}

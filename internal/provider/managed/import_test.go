package managed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

func TestParseImportID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"shop/web": true, "web": false, "/web": false, "shop/": false, "a/b/c": false, "": false} {
		if _, err := parseImportID(kinds.MeshTimeout, id); (err == nil) != want {
			t.Errorf("%q: %v", id, err)
		}
	}
	for id, want := range map[string]string{"web": "default/web", "shop:web": "shop/web"} {
		if _, err := parseImportID(kinds.MeshTimeout, id); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("such as %q", want)) {
			t.Errorf("%q: %v, want the suggestion %q", id, err, want)
		}
	}
	if key, err := parseImportID(kinds.Mesh, "shop"); err != nil || key.Name != "shop" {
		t.Errorf("%v %v", key, err)
	}
}

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

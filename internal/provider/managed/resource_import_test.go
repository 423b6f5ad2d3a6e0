package managed

import (
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
	if _, err := parseImportID(kinds.MeshTimeout, "web"); err == nil || !strings.Contains(err.Error(), `such as "default/web"`) {
		t.Errorf("the error offers no ID: %v", err)
	}
	if key, err := parseImportID(kinds.Mesh, "shop"); err != nil || key.Name != "shop" {
		t.Errorf("%v %v", key, err)
	}
}

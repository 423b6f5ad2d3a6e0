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

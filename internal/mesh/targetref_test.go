package mesh_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

func TestHasAll(t *testing.T) {
	t.Parallel()
	have := map[string]string{"a": "1", "b": ""}
	for name, tt := range map[string]struct {
		want   map[string]string
		result bool
	}{
		"nothing":           {nil, true},
		"one":               {map[string]string{"a": "1"}, true},
		"empty and present": {map[string]string{"a": "1", "b": ""}, true},
		"empty and absent":  {map[string]string{"c": ""}, false},
		"another value":     {map[string]string{"a": "*"}, false},
	} {
		if got := mesh.HasAll(have, tt.want); got != tt.result {
			t.Errorf("%s: HasAll(%v) = %t", name, tt.want, got)
		}
	}
	if mesh.HasAll(nil, map[string]string{"a": ""}) {
		t.Error("nothing has a label")
	}
}

package tree_test

import (
	"encoding/json"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestEncodeJSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		value any
		want  string
	}{
		"object":         {map[string]any{"b": true, "a": nil}, `{"a":null,"b":true}`},
		"HTML":           {"a <b> & c", `"a <b> & c"`},
		"number":         {json.Number("12345678901234567890"), "12345678901234567890"},
		"break of lines": {"a\nb\n", `"a\nb\n"`},
	} {
		if got, err := tree.EncodeJSON(tt.value); got != tt.want || err != nil {
			t.Errorf("%s: EncodeJSON(%v) = %s, %v, want %s", name, tt.value, got, err, tt.want)
		}
	}
	if got, err := tree.EncodeJSON(json.Number("many")); err == nil {
		t.Errorf("EncodeJSON of an invalid number = %s, want an error", got)
	}
}

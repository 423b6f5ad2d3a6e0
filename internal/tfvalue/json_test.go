package tfvalue

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestJSONText reads a free-form value with a configured string, and plans the
// configured string if the state has another one.
func TestJSONText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stored     string // JSON as the control plane stores it
		configured string // empty when nothing is
		want       string // in the state after a refresh
	}{
		"another spelling":         {`{"a":1,"b":[null]}`, ` {"b": [null], "a": 1.0} `, ` {"b": [null], "a": 1.0} `},
		"digits beyond a float":    {`12345678901234567000`, `12345678901234567890`, `12345678901234567890`},
		"another order of a list":  {`[1,2]`, `[2,1]`, `[1,2]`},
		"text that looks a number": {`"1"`, `1`, `"1"`},
		"imported":                 {`{"b": true, "a": "5s"}`, ``, `{"a":"5s","b":true}`},
		"configured text is none":  {`"5s"`, `{`, `"5s"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored, err := tree.DecodeJSON([]byte(tt.stored))
			testworld.NoError(t, err)
			prior := tftypes.NewValue(tftypes.String, nil)
			if tt.configured != "" {
				prior = tftypes.NewValue(tftypes.String, tt.configured)
			}
			got, err := decoder{}.scalar(def.JSON, tftypes.String, stored, prior)
			if want := tftypes.NewValue(tftypes.String, tt.want); err != nil || !got.Equal(want) {
				t.Errorf("scalar = %v, %v, want %v", got, err, want)
			}
			state := tftypes.NewValue(tftypes.String, tt.stored)
			planned, err := keepSpelling(def.Field{}, def.JSON, nil, prior, state)
			same := !prior.IsNull() && tt.want == tt.configured
			if err != nil || planned.Equal(state) != same {
				t.Errorf("keepSpelling = %v, %v, and the two mean the same: %t", planned, err, same)
			}
		})
	}
}

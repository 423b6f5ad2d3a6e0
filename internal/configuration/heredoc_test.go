package configuration_test

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestHeredocKeepsTheText reads values with several lines back from the configuration.
func TestHeredocKeepsTheText(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"name: a\ntype: b\n", "  indented\n\n\ttab ${x} %{if} $${y}\nback\\slash \"quoted\"\n", "a\nEOT\nb\n", "a\nb", "a\r\nb\r\nc\r\n", "\n\n\n",
	} {
		quoted, err := json.Marshal(want)
		testworld.NoError(t, err)
		text := file(t, `{type: MeshProxyPatch, mesh: shop, name: a, spec: {default: {appendModifications: [{cluster: {operation: Add, value: `+string(quoted)+`}}]}}}`)
		parsed, diags := hclsyntax.ParseConfig([]byte(text), "a.tf", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("%v\n%s", diags, text)
		}
		body, _ := parsed.Body.(*hclsyntax.Body)
		for range 5 { // resource, spec, default, append_modifications, cluster
			body = body.Blocks[0].Body
		}
		value, diags := body.Attributes["value"].Expr.Value(nil)
		if diags.HasErrors() || value.AsString() != want {
			t.Errorf("got %q (%v), want %q", value.AsString(), diags, want)
		}
	}
}

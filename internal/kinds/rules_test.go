package kinds_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestRules covers what the recordings leave out, with the documents of testdata/rules.yaml.
func TestRules(t *testing.T) {
	t.Parallel()
	for name, test := range testworld.Document(t, testworld.Text(t, "testdata/rules.yaml")) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, want := tree.Object(tree.Object(test)["document"]), tree.Text(tree.Object(test)["problems"])
			var got []string
			for _, p := range kind(t, doc).Validate(doc) {
				at := p.Path.String()
				if p.Warning {
					at += "?"
				}
				got = append(got, at)
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("problems at %q, want %q", got, want)
			}
		})
	}
}

// TestStageOfCount checks that a number that does not fit is found with what the
// schema requires.
func TestStageOfCount(t *testing.T) {
	t.Parallel()
	for count, want := range map[string]def.Stage{"-1": def.Decode, "0": def.Rule, "2147483648": def.Schema, "9223372036854775807": def.Schema} {
		r := testworld.Resources(t, `{type: MeshCircuitBreaker, mesh: m, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: `+count+`}}}]}}`)[0]
		problems := kinds.MeshCircuitBreaker.Validate(r.Document())
		if len(problems) != 1 || problems[0].Stage != want {
			t.Errorf("%s: %+v, want stage %d", count, problems, want)
		}
	}
}

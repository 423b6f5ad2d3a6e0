package document_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestMisspelledField checks that a misspelled field is reported without its
// consequences, and with all other problems.
func TestMisspelledField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string // paths
	}{
		"nothing else is set": {
			"{type: MeshTimeout, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimout: 5s}}]}}",
			[]string{"spec.to[0].default.idleTimout"},
		},
		"required field": {
			"{type: Dataplane, name: web, networking: {addresss: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}",
			[]string{"networking.addresss"},
		},
		"another problem": {
			"{type: MeshTimeout, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimout: 5s, connectionTimeout: soon}}]}}",
			[]string{"spec.to[0].default.connectionTimeout", "spec.to[0].default.idleTimout"},
		},
		"no misspelled field": {
			"{type: MeshTimeout, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: {}}]}}",
			[]string{"spec.to[0].default"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader := document.Reader{Check: document.Fields}
			result, err := reader.Text([]byte(test.text))
			testworld.NoError(t, err)
			var got []string
			for _, p := range result.Problems {
				got = append(got, p.Path.String())
			}
			testworld.Equal(t, "problems", test.want, got)
		})
	}
}

package kinds_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

func TestSPIFFEID(t *testing.T) {
	web := kuma.Resource{Type: "Dataplane", Mesh: "shop", Name: "web-1", Labels: map[string]string{"app": "web", kuma.LabelZone: "east", kuma.LabelWorkload: "web"}}
	for name, tt := range map[string]struct {
		format map[string]any
		want   string
	}{
		"defaults":       {nil, "spiffe://shop.east.mesh.local/workload/web"},
		"literal domain": {map[string]any{"trustDomain": "td"}, "spiffe://td/workload/web"},
		"label":          {map[string]any{"trustDomain": "{{ .Mesh }}.example", "path": `/{{ label "app" }}`}, "spiffe://shop.example/web"},
		"missing label":  {map[string]any{"path": `/{{ label "team" }}`}, ""},
		"unknown field":  {map[string]any{"path": `/{{ .Namespace }}`}, ""},
		"not a template": {map[string]any{"path": `/{{`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			identity := kuma.Resource{Type: "MeshIdentity", Mesh: "shop", Name: "i", Body: map[string]any{"spec": map[string]any{"spiffeID": tt.format}}}
			got, err := kinds.SPIFFEID(identity, web)
			if (err == nil) != (tt.want != "") || err == nil && got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

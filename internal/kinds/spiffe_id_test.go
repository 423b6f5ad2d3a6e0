package kinds_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// TestSPIFFEID has the results of a control plane of release 2.14.3, except where the
// zone is not known.
func TestSPIFFEID(t *testing.T) {
	t.Parallel()
	const none = "none"
	for name, tt := range map[string]struct {
		format  map[string]any
		without string // label that the Dataplane does not have
		want    string
		missing string // label that the path requires; none for another error in the path
	}{
		"defaults":                 {nil, "", "spiffe://shop.east.mesh.local/workload/web", ""},
		"literal domain":           {map[string]any{"trustDomain": "td"}, "", "spiffe://td/workload/web", ""},
		"label":                    {map[string]any{"trustDomain": "{{ .Mesh }}.example", "path": `/{{ label "app" }}`}, "", "spiffe://shop.example/web", ""},
		"trust domain in the path": {map[string]any{"trustDomain": "td", "path": `/{{ .TrustDomain }}`}, "", "spiffe://td/td", ""},
		"empty fields":             {map[string]any{"trustDomain": "td", "path": `/x{{ .Namespace }}{{ .ServiceAccount }}`}, "", "spiffe://td/x", ""},
		"no workload at the end":   {map[string]any{"trustDomain": "td", "path": `/x{{ .Workload }}`}, kuma.LabelWorkload, "spiffe://td/x", ""},
		"no workload":              {nil, kuma.LabelWorkload, "", kuma.LabelWorkload},
		"missing label":            {map[string]any{"path": `/{{ label "app" }}`}, "app", "", "app"},
		"empty label":              {map[string]any{"path": `/{{ label "empty" }}`}, "", "", none},
		"unknown field":            {map[string]any{"path": `/{{ .Mesh }}`}, "", "", none},
		"not a template":           {map[string]any{"path": `/{{`}, "", "", none},
		"label in the domain":      {map[string]any{"trustDomain": `{{ label "app" }}`, "path": "/x"}, "", "", ""},
		"unknown zone":             {map[string]any{"path": "/x"}, kuma.LabelZone, "", ""},
		"path without the zone":    {map[string]any{"path": `/{{ label "app" }}`, "trustDomain": "td"}, kuma.LabelZone, "spiffe://td/web", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := kuma.Resource{Type: "Dataplane", Mesh: "shop", Name: "web-1", Labels: map[string]string{"app": "web", "empty": "", kuma.LabelZone: "east", kuma.LabelWorkload: "web"}}
			delete(web.Labels, tt.without)
			identity := kuma.Resource{Type: "MeshIdentity", Mesh: "shop", Name: "i", Body: map[string]any{"spec": map[string]any{"spiffeID": tt.format}}}
			got, err := kinds.SPIFFEID(identity, web)
			if (err == nil) != (tt.want != "") || err == nil && got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
			missing := ""
			if path, ok := errors.AsType[*kinds.PathError](err); ok {
				missing = cmp.Or(path.Label, none)
			}
			if missing != tt.missing {
				t.Errorf("missing label %q in %v, want %q", missing, err, tt.missing)
			}
		})
	}
}

// TestUnknownZoneIsNamed checks that the error says which label to set, and does not show the
// template.
func TestUnknownZoneIsNamed(t *testing.T) {
	t.Parallel()
	web := kuma.Resource{Type: "Dataplane", Mesh: "shop", Name: "web-1", Labels: map[string]string{kuma.LabelWorkload: "web"}}
	identity := kuma.Resource{Type: "MeshIdentity", Mesh: "shop", Name: "i", Body: map[string]any{"spec": map[string]any{}}}
	_, err := kinds.SPIFFEID(identity, web)
	if err == nil || !strings.Contains(err.Error(), "set the label kuma.io/zone of the Dataplane") {
		t.Errorf("error %v, want the label to set", err)
	}
}

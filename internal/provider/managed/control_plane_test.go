package managed_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestPlanRefusesWhatTheControlPlaneWouldChange checks that a label that the control
// plane rejects, and a tag that it overwrites, are errors of the plan on that label or
// tag.
func TestPlanRefusesWhatTheControlPlaneWouldChange(t *testing.T) {
	t.Parallel()
	dataplane := func(body string) string {
		return "resource \"kuma_dataplane\" \"x\" {\n mesh = \"shop\"\n name = \"x\"\n" + body + "}\n"
	}
	inbound := func(tags string) string {
		return "networking {\n address = \"192.0.2.1\"\n inbound {\n port = 1\n tags = { \"kuma.io/service\" = \"a\"" + tags + " }\n}\n}\n"
	}
	tests := map[string]struct {
		config string
		want   []string // attributes and summaries
	}{
		"tag of an inbound": {
			dataplane(inbound(`, "kuma.io/zone" = "west"`)),
			[]string{`AttributeName("networking").AttributeName("inbound").ElementKeyInt(0).AttributeName("tags").ElementKeyString("kuma.io/zone"): The control plane overwrites kuma.io/zone`},
		},
		"tag of a gateway": {
			dataplane("networking {\n address = \"192.0.2.1\"\n gateway {\n tags = { \"kuma.io/service\" = \"a\", \"kuma.io/zone\" = \"west\" }\n}\n}\n"),
			[]string{`AttributeName("networking").AttributeName("gateway").AttributeName("tags").ElementKeyString("kuma.io/zone"): The control plane overwrites kuma.io/zone`},
		},
		"name that is too long for a file": {
			strings.Replace(dataplane(inbound("")), "name = \"x\"", "name = \""+strings.Repeat("x", 251)+"\"", 1),
			[]string{`AttributeName("name"): Name too long for a file`},
		},
		"longest name":        {strings.Replace(dataplane(inbound("")), "name = \"x\"", "name = \""+strings.Repeat("x", 250)+"\"", 1), nil},
		"tag of the own zone": {dataplane(inbound(`, "kuma.io/zone" = "zone-1"`)), nil},
		"label of another zone": {
			dataplane("labels = { \"kuma.io/zone\" = \"west\" }\n" + inbound("")),
			[]string{`AttributeName("labels").ElementKeyString("kuma.io/zone"): Label names another zone`},
		},
		"label of another mesh": {
			dataplane("labels = { \"kuma.io/mesh\" = \"other\" }\n" + inbound("")),
			[]string{`AttributeName("labels").ElementKeyString("kuma.io/mesh"): Label names another mesh`},
		},
		"copy of what a global control plane owns": {
			dataplane("labels = { \"kuma.io/origin\" = \"global\", \"kuma.io/zone\" = \"west\", \"kuma.io/mesh\" = \"other\" }\n" + inbound("")), nil,
		},
		"labels of the own zone": {
			dataplane("labels = { \"kuma.io/zone\" = \"zone-1\", \"kuma.io/mesh\" = \"shop\", \"kuma.io/origin\" = \"zone\" }\n" + inbound("")), nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCore(t, "shop") // of its own: all plan the same resource
			typeName, config, diags := c.Config(t, tt.config)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var got []string
			_, problems := c.PlanChange(t, typeName, config, providertest.Instance{})
			for _, d := range problems {
				got = append(got, d.Attribute.String()+": "+d.Summary)
			}
			testworld.Equal(t, "plan", tt.want, got)
		})
	}
}

// TestReadOnlyControlPlane checks that the plan rejects changes that the control plane
// does not accept, and nothing else.
func TestReadOnlyControlPlane(t *testing.T) {
	t.Parallel()
	server, _ := withDefaultMesh(t)
	var readOnly atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/config" && readOnly.Load() {
			_, _ = io.WriteString(w, `{"mode": "zone", "environment": "universal", "apiServer": {"readOnly": true}}`)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	config := map[string]any{"endpoint": proxy.URL}

	s := providertest.NewSession(t, "kuma_mesh_timeout", config)
	mustSucceed(t, s.Apply(t, timeoutOf("60s"), nil))
	readOnly.Store(true)
	after := providertest.NewSession(t, "kuma_mesh_timeout", config)
	after.Instance = s.Instance
	mustSucceed(t, after.Refresh(t))
	mustSucceed(t, after.Apply(t, timeoutOf("1m"), nil)) // the same in another spelling
	for action, wanted := range map[string]map[string]any{"update": timeoutOf("2m"), "delete": nil} {
		if diags := after.Apply(t, wanted, nil); !providertest.HasErrors(diags) || !strings.Contains(said(diags), "Control plane is read-only") {
			t.Errorf("%s: the plan says %q, want that the control plane is read-only", action, said(diags))
		}
	}
}

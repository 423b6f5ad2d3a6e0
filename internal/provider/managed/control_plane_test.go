package managed_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
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
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCreationIsWarned checks that a problem of a new resource is a warning when it is
// created, and none when it is changed.
func TestCreationIsWarned(t *testing.T) {
	t.Parallel()
	mesh := func(mtls, source string) string {
		return "resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n mtls {\n" + mtls + " backends {\n name = \"ca\"\n type = \"provided\"\n conf {\n cert {\n " + source + "\n}\n key {\n " + source + "\n}\n}\n}\n}\n}\n"
	}
	const secret = `secret = "ca"`
	at := `AttributeName("mtls").AttributeName("backends").ElementKeyInt(0).AttributeName("conf")`
	tests := map[string]struct {
		config string
		exists bool
		want   []string
	}{
		"Secrets of a new mesh": {
			mesh("", secret), false,
			[]string{at + `.AttributeName("cert").AttributeName("secret"): Secret cannot exist yet`, at + `.AttributeName("key").AttributeName("secret"): Secret cannot exist yet`},
		},
		"Secrets of a mesh that exists":   {mesh("", secret), true, nil},
		"Secrets without validation":      {mesh("skip_validation = true\n", secret), false, nil},
		"a file on the control plane":     {mesh("", `file = "/ca.pem"`), false, nil},
		"a Workload without a Dataplane":  {"resource \"kuma_workload\" \"x\" {\n mesh = \"shop\"\n name = \"x\"\n spec {\n}\n}\n", false, []string{`AttributeName("name"): Workload without a Dataplane is deleted`}},
		"a Workload that exists, changed": {"resource \"kuma_workload\" \"x\" {\n mesh = \"shop\"\n name = \"x\"\n labels = { team = \"a\" }\n spec {\n}\n}\n", true, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCore(t, "shop")
			typeName, config, diags := c.config(t, tt.config)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var prior instance
			if tt.exists {
				_, before, _ := c.config(t, map[string]string{
					"kuma_mesh":     "resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n}\n",
					"kuma_workload": "resource \"kuma_workload\" \"x\" {\n mesh = \"shop\"\n name = \"x\"\n spec {\n}\n}\n",
				}[typeName])
				prior = c.create(t, typeName, before)
			}
			var got []string
			_, problems := c.plan(t, typeName, config, prior)
			for _, d := range problems {
				got = append(got, d.Attribute.String()+": "+d.Summary)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

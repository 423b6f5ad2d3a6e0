package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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

// TestWorkloadWithDataplane checks that a new Workload is not reported if a Dataplane that
// is stored, or that the plan creates or changes, has its label.
func TestWorkloadWithDataplane(t *testing.T) {
	t.Parallel()
	const workload = "resource \"kuma_workload\" \"x\" {\n mesh = \"shop\"\n name = \"web\"\n spec {\n}\n}\n"
	dataplane := func(workload string) string {
		return "resource \"kuma_dataplane\" \"x\" {\n mesh = \"shop\"\n name = \"web-1\"\n labels = { \"kuma.io/workload\" = \"" + workload + "\" }\n networking {\n address = \"10.0.0.1\"\n inbound {\n port = 80\n tags = { \"kuma.io/service\" = \"web\" }\n}\n}\n}\n"
	}
	for name, tt := range map[string]struct {
		stored, planned string // labels of the Dataplane
		want            int    // warnings
	}{
		"stored":                   {"web", "", 0},
		"planned":                  {"", "web", 0},
		"changed":                  {"api", "web", 0},
		"stored for another one":   {"api", "", 1},
		"planned for another one":  {"", "api", 1},
		"changed to another label": {"web", "api", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCore(t, "shop")
			var prior instance
			plan := func(text string, prior instance) []string {
				typeName, config, _ := c.config(t, text)
				return summaries(c.propose(t, change{typeName: typeName, config: config, prior: prior}, prior).Diagnostics)
			}
			if tt.stored != "" {
				typeName, config, _ := c.config(t, dataplane(tt.stored))
				prior = c.create(t, typeName, config)
			}
			StartRun(c.server)
			if tt.planned != "" {
				if got := plan(dataplane(tt.planned), prior); got != nil {
					t.Fatalf("plan of the Dataplane: %q", got)
				}
			}
			if got := plan(workload, instance{}); len(got) != tt.want {
				t.Errorf("plan of the Workload: %q, want %d warnings", got, tt.want)
			}
		})
	}
}

func summaries(diags []*tfprotov6.Diagnostic) []string {
	var out []string
	for _, d := range diags {
		out = append(out, d.Summary)
	}
	return out
}

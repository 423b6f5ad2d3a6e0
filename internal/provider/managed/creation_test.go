package managed_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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
			c := providertest.NewCore(t, "shop")
			typeName, config, diags := c.Config(t, tt.config)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			var prior providertest.Instance
			if tt.exists {
				_, before, _ := c.Config(t, map[string]string{
					"kuma_mesh":     "resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n}\n",
					"kuma_workload": "resource \"kuma_workload\" \"x\" {\n mesh = \"shop\"\n name = \"x\"\n spec {\n}\n}\n",
				}[typeName])
				prior = c.Create(t, typeName, before)
			}
			var got []string
			_, problems := c.PlanChange(t, typeName, config, prior)
			for _, d := range problems {
				got = append(got, d.Attribute.String()+": "+d.Summary)
			}
			testworld.Equal(t, "plan", tt.want, got)
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
			c := providertest.NewCore(t, "shop")
			var prior providertest.Instance
			plan := func(text string, prior providertest.Instance) []string {
				typeName, config, _ := c.Config(t, text)
				return summaries(c.Propose(t, providertest.Change{TypeName: typeName, Config: config, Prior: prior}, prior).Diagnostics)
			}
			if tt.stored != "" {
				typeName, config, _ := c.Config(t, dataplane(tt.stored))
				prior = c.Create(t, typeName, config)
			}
			providertest.StartRun(c.Server)
			if tt.planned != "" {
				if got := plan(dataplane(tt.planned), prior); got != nil {
					t.Fatalf("plan of the Dataplane: %q", got)
				}
			}
			if got := plan(workload, providertest.Instance{}); len(got) != tt.want {
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

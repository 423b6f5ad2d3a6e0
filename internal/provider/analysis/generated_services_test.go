package analysis_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// analysesOfShop reads the analyses of what will be stored in the mesh shop.
const analysesOfShop = `
variable "planned" { default = "[]" }

locals {
  planned = jsondecode(var.planned)
}

data "kuma_effective_rules" "all" {
  mesh    = "shop"
  planned = local.planned
  dataplanes {}
}

data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = local.planned
}

output "answers" {
  value = {
    rules = data.kuma_effective_rules.all.explanation
    lint  = data.kuma_mesh_lint.shop.findings
  }
}
`

// TestPlannedServicesAreGenerated checks that analyses of planned resources return what
// they return at once after the resources have been written, and for the stored ones, when
// a real control plane has generated MeshServices from them. The embedded one generates none.
func TestPlannedServicesAreGenerated(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const (
		skip     = "skipCreatingInitialPolicies: ['*']"
		disabled = "{type: Mesh, name: shop, " + skip + "}"
		client   = "{type: Dataplane, mesh: shop, name: client-1, networking: {address: 10.0.0.9, inbound: [{port: 90, tags: {kuma.io/service: client}}]}}"
	)
	mode := func(mode string) string {
		return "{type: Mesh, name: shop, " + skip + ", meshServices: {mode: " + mode + "}}"
	}
	web := func(name, inbound string) string {
		return "{type: Dataplane, mesh: shop, name: " + name + ", networking: {address: 10.0.0.1, inbound: [{" + inbound + ", tags: {kuma.io/service: web, kuma.io/protocol: http}}]}}"
	}
	timeout := func(name, ref string) string {
		return "{type: MeshTimeout, mesh: shop, name: " + name + ", spec: {to: [{targetRef: {kind: MeshService, " + ref + "}, default: {idleTimeout: 7s}}]}}"
	}
	toWeb := timeout("web", "name: web") + "\n---\n" + timeout("port", "name: web, sectionName: http") + "\n---\n" + timeout("labels", "labels: {kuma.io/managed-by: meshservice-generator}")
	for _, test := range []struct{ name, stored, planned string }{
		{"dataplanes", mode("Exclusive") + "\n---\n" + toWeb, client + "\n---\n" + web("web-1", "port: 80, name: http")},
		{"everything", disabled, mode("Everywhere") + "\n---\n" + toWeb + "\n---\n" + client + "\n---\n" + web("web-1", "port: 80, name: http")},
		{"mode", disabled + "\n---\n" + toWeb + "\n---\n" + client + "\n---\n" + web("web-1", "port: 80, name: http"), mode("ReachableBackends")},
		{"mode disabled", mode("Everywhere") + "\n---\n" + toWeb + "\n---\n" + client + "\n---\n" + web("web-1", "port: 80, name: http"), disabled},
		{"other ports", mode("Exclusive") + "\n---\n" + toWeb + "\n---\n" + client + "\n---\n" + web("web-1", "port: 81"), web("web-1", "port: 80, name: http")},
		{"second dataplane", mode("Exclusive") + "\n---\n" + toWeb + "\n---\n" + client + "\n---\n" + web("web-2", "port: 81"), web("web-1", "port: 80, name: http")},
		{"own service", mode("Exclusive") + "\n---\n" + toWeb + "\n---\n{type: MeshService, mesh: shop, name: web, spec: {ports: [{port: 9}]}}", client + "\n---\n" + web("web-1", "port: 80, name: http")},
	} {
		t.Run(test.name, func(t *testing.T) {
			cp := providertest.NewControlPlane(t, providertest.BeforeKuma3, providertest.Writes(kinds.Dataplane))
			cp.Put(t, testworld.Resources(t, test.stored)...)
			cp.AwaitGenerator(t)
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + analysesOfShop})
			answers := func(planned []kuma.Resource) any {
				documents := []any{}
				for _, r := range planned {
					documents = append(documents, r.Document())
				}
				text, err := json.Marshal(documents)
				testworld.NoError(t, err)
				c.Must(t, "apply", "-auto-approve", "-var=planned="+string(text))
				return c.Outputs(t)["answers"]
			}
			planned := testworld.Resources(t, test.planned)
			want := answers(planned)
			cp.Put(t, planned...)
			if diff := cmp.Diff(answers(planned), want); diff != "" {
				t.Errorf("answers (-at once +planned):\n%s", diff)
			}
			cp.AwaitGenerator(t)
			if diff := cmp.Diff(answers(nil), want); diff != "" {
				t.Errorf("answers (-stored +planned):\n%s", diff)
			}
		})
	}
}

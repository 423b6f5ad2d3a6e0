package main

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const gatewayWorld = `
type: Mesh
name: m
---
type: MeshGateway
mesh: m
name: a
selectors:
  - match: {kuma.io/service: edge}
---
type: MeshGateway
mesh: m
name: c
selectors:
  - match: {kuma.io/service: edge}
---
type: MeshGateway
mesh: m
name: b
selectors:
  - match: {kuma.io/service: edge}
---
type: Dataplane
mesh: m
name: dp
networking:
  address: 10.0.0.1
  inbound:
    - port: 80
      tags: {kuma.io/service: web}
`

// TestConfiguration reads the configuration of a world with Terraform's parser.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	for firstManifest, want := range []string{
		"kuma_manifest.resource_0 kuma_mesh_gateway.resource_1>kuma_mesh_gateway.resource_3 kuma_manifest.resource_2>kuma_manifest.resource_0 " +
			"kuma_mesh_gateway.resource_3>kuma_manifest.resource_2 kuma_manifest.resource_4>kuma_manifest.resource_0",
		"kuma_mesh.resource_0 kuma_manifest.resource_1>kuma_manifest.resource_3 kuma_mesh_gateway.resource_2>kuma_mesh.resource_0 " +
			"kuma_manifest.resource_3>kuma_mesh_gateway.resource_2 kuma_dataplane.resource_4>kuma_mesh.resource_0",
	} {
		c := worldConfig{world: testworld.Resources(t, gatewayWorld), firstManifest: firstManifest}
		text, err := c.resources("http://127.0.0.1:5681")
		testworld.NoError(t, err)
		var got []string
		manifests := 0
		for _, block := range blocks(t, text, "resource") {
			address := strings.Join(block.Labels, ".")
			if block.Labels[0] == "kuma_manifest" {
				manifests++
			}
			if after, ok := block.Body.Attributes["depends_on"]; ok {
				address += ">" + strings.Trim(string(after.Expr.Range().SliceBytes([]byte(text))), "[]")
			}
			got = append(got, address)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("resources and what they depend on:\n%s\nwant\n%s", got, want)
		}
		if manifests != c.manifests() {
			t.Errorf("%d manifests, counted as %d", manifests, c.manifests())
		}
	}
}

// TestConfigurationAsksForRules checks that the data sources before and after
// the apply are the same, except for the planned resources.
func TestConfigurationAsksForRules(t *testing.T) {
	t.Parallel()
	c := worldConfig{world: testworld.Resources(t, gatewayWorld)}
	for _, output := range []string{outputPlanned, outputStored} {
		text := c.rules(output)
		body := blocks(t, text, "data")[0].Body
		_, planned := body.Attributes["planned"]
		if planned != (output == outputPlanned) {
			t.Errorf("%s: planned is there: %t", output, planned)
		}
		if got := string(body.Attributes["for_each"].Expr.Range().SliceBytes([]byte(text))); got != `toset(["dp"])` {
			t.Errorf("%s: for_each = %s", output, got)
		}
		if len(blocks(t, text, "output")) != 1 {
			t.Errorf("%s: there is not one output", output)
		}
	}
}

// blocks returns the blocks of a type.
func blocks(t *testing.T, text, typ string) []*hclsyntax.Block {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%s in\n%s", diags, text)
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		t.Fatalf("a body is a %T", file.Body)
	}
	var found []*hclsyntax.Block
	for _, b := range body.Blocks {
		if b.Type == typ {
			found = append(found, b)
		}
	}
	return found
}

// TestOwners checks which resources are sent to a global control plane and to its zones.
func TestOwners(t *testing.T) {
	t.Parallel()
	world := testworld.Resources(t, `
type: Mesh
name: m
---
type: MeshTimeout
mesh: m
name: of-global
spec: {}
---
type: MeshTimeout
mesh: m
name: of-east
labels: {kuma.io/origin: zone, kuma.io/zone: east}
spec: {}
`)
	global, east, west := &oracle.Site{}, &oracle.Site{}, &oracle.Site{}
	east.Info.Zone, west.Info.Zone = "east", "west"
	d := &oracle.Deployment{Sites: []*oracle.Site{global, east, west}}
	for site, want := range map[*oracle.Site]string{global: "m of-global", east: "of-east", west: ""} {
		names := phrase.Each(d.SentTo(site, world), func(r kuma.Resource) string { return r.Name })
		if got := strings.Join(names, " "); got != want {
			t.Errorf("zone %q is sent %q, want %q", site.Info.Zone, got, want)
		}
	}
}

// TestPlannedKeepsTheRest checks that a zone plans with resources from other control
// planes, such as its mesh.
func TestPlannedKeepsTheRest(t *testing.T) {
	t.Parallel()
	stored := testworld.Resources(t, `
type: Mesh
name: m
---
type: MeshTimeout
mesh: m
name: synced
labels: {kuma.io/origin: global}
spec: {}
---
type: MeshTimeout
mesh: m
name: sent
labels: {kuma.io/origin: zone, wrong: label}
spec: {}
`)
	sent := testworld.Resources(t, `
type: MeshTimeout
mesh: m
name: sent
spec: {}
`)
	got := map[string]map[string]string{}
	for _, r := range planned(sent, stored, kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east", Federated: true}) {
		got[r.Name] = r.Labels
	}
	if len(got) != 3 || got["synced"][kuma.LabelOrigin] != kuma.OriginGlobal || got["sent"][kuma.LabelZone] != "east" || got["sent"]["wrong"] != "" {
		t.Errorf("planned: %v", got)
	}
}

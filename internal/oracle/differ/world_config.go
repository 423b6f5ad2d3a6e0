package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// Outputs of a configuration: the rules of each dataplane, as JSON.
const (
	outputPlanned = "planned" // of the resources of the configuration and the stored ones
	outputStored  = "stored"  // of the stored resources alone
)

// worldConfig is a world as files of a Terraform configuration. Every other
// resource is a kuma_manifest, beginning with the first one or the second.
type worldConfig struct {
	world         []kuma.Resource
	firstManifest int
}

func (c worldConfig) isManifest(i int) bool { return (i+c.firstManifest)%2 == 0 }

// manifests counts the resources that are written as kuma_manifest.
func (c worldConfig) manifests() int { return (len(c.world) + 1 - c.firstManifest) / 2 }

// resources returns the file with the provider and all resources.
func (c worldConfig) resources(endpoint string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}

provider "kuma" {
  endpoint      = %q
  policy_checks = "warning"
}

locals {
  resources = [%s]
}

`, endpoint, strings.Join(c.addresses(), ", "))
	for i := range c.world {
		text, err := c.resource(i)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.world[i].Key(), err)
		}
		b.WriteString(text + "\n")
	}
	return b.String(), nil
}

func (c worldConfig) addresses() []string {
	addresses := make([]string, len(c.world))
	for i := range c.world {
		addresses[i] = c.address(i)
	}
	return addresses
}

func (c worldConfig) address(i int) string { return c.typeName(i) + "." + localName(i) }

func (c worldConfig) typeName(i int) string {
	if c.isManifest(i) {
		return "kuma_manifest"
	}
	return tfschema.TypeName(c.world[i].Type)
}

func localName(i int) string { return fmt.Sprintf("resource_%d", i) }

// resource returns one resource block.
func (c worldConfig) resource(i int) (string, error) {
	file := hclwrite.NewEmptyFile()
	if c.isManifest(i) {
		document := hclwrite.TokensForValue(cty.StringVal(phrase.JSON(c.world[i].Document())))
		file.Body().AppendNewBlock("resource", []string{c.typeName(i), ""}).Body().SetAttributeRaw("manifest",
			hclwrite.TokensForFunctionCall("jsondecode", document))
	} else {
		text, err := configuration.File(c.world[i:i+1], configuration.Options{Defaults: true, ComputedLabels: true, SecretValues: true})
		if err != nil {
			return "", err
		}
		var diags hcl.Diagnostics
		if file, diags = hclwrite.ParseConfig([]byte(text), "", hcl.InitialPos); diags.HasErrors() {
			return "", diags
		}
	}
	block := file.Body().Blocks()[0]
	block.SetLabels([]string{c.typeName(i), localName(i)})
	if after, ok := c.dependency(i); ok {
		block.Body().SetAttributeRaw("depends_on", hclwrite.TokensForTuple([]hclwrite.Tokens{hclwrite.TokensForIdentifier(after)}))
	}
	return string(file.Bytes()), nil
}

// dependency returns the address of the resource that must be created first: the mesh.
// Gateways are created one after the other, the first by name last: of equally specific
// gateways the newest wins, and a plan, in which all are equally new, uses the first by
// name.
func (c worldConfig) dependency(i int) (address string, ok bool) {
	r := c.world[i]
	switch r.Type {
	case kuma.KindMesh:
		return "", false
	case kuma.KindMeshGateway:
		next := -1
		for j, other := range c.world {
			if other.Type == r.Type && other.Name > r.Name && (next < 0 || other.Name < c.world[next].Name) {
				next = j
			}
		}
		if next >= 0 {
			return c.address(next), true
		}
	}
	mesh := slices.IndexFunc(c.world, func(r kuma.Resource) bool { return r.Type == kuma.KindMesh })
	return c.address(mesh), true
}

// rules returns the file with the data source for the rules of all dataplanes, and the
// output that contains them.
func (c worldConfig) rules(output string) string {
	var dataplanes []string
	mesh := ""
	for _, r := range c.world {
		switch r.Type {
		case kuma.KindMesh:
			mesh = r.Name
		case kuma.KindDataplane:
			dataplanes = append(dataplanes, fmt.Sprintf("%q", r.Name))
		}
	}
	planned := ""
	if output == outputPlanned {
		planned = "\n  planned   = local.resources"
	}
	return fmt.Sprintf(`data "kuma_effective_rules" %[1]q {
  for_each  = toset([%[2]s])
  mesh      = %[3]q
  dataplane = each.key
  include   = ["json"]%[4]s
}

output %[1]q {
  value = { for name, rules in data.kuma_effective_rules.%[1]s : name => rules.json }
}
`, output, strings.Join(dataplanes, ", "), mesh, planned)
}

package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

func TestFunctions(t *testing.T) {
	needCLI(t)
	for name, test := range map[string]struct {
		expression string
		want       knownvalue.Check
		wantError  string
	}{
		"decode two": {
			expression: `provider::kuma::decode_documents("{type: Mesh, name: a}\n---\n{type: Mesh, name: b}")[1].name`,
			want:       knownvalue.StringExact("b"),
		},
		"decode none": {
			expression: `provider::kuma::decode_documents("")`,
			want:       knownvalue.TupleExact([]knownvalue.Check{}),
		},
		"decode no YAML": {
			expression: `provider::kuma::decode_documents("[")`,
			wantError:  `The text is no YAML`,
		},
		"decode no document": {
			expression: `provider::kuma::decode_documents("a: b\n---\ntext")`,
			wantError:  `Document 2 is text, not an object`,
		},
		"encode": {
			expression: `provider::kuma::encode_document({ name = "web", type = "MeshService", spec = { ports = [{ port = 80 }] } })`,
			want:       knownvalue.StringExact("type: MeshService\nmesh: default\nname: web\nspec:\n  ports:\n    - port: 80\n"),
		},
		"encode no document": {
			expression: `provider::kuma::encode_document({ name = "web" })`,
			wantError:  `Type is missing`,
		},
		"encode as a resource": {
			expression: `provider::kuma::encode_resource({ name = "shop", type = "Mesh", routing = { zoneEgress = false } })`,
			want:       knownvalue.StringExact("resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n  routing {\n    zone_egress = false\n  }\n}\n"),
		},
		"encode a mistake as a resource": {
			expression: `provider::kuma::encode_resource({ name = "shop", type = "Mesh", routng = {} })`,
			wantError:  `The document cannot be written as a resource\. routng: The control plane would drop "routng" without a word\. Did you mean "routing"\?`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			step := resource.TestStep{Config: "terraform {\n required_providers {\n kuma = { source = \"hashicorp/kuma\" }\n }\n}\noutput \"test\" {\n value = " + test.expression + "\n}\n"}
			if test.wantError != "" {
				step.ExpectError = expression(test.wantError)
			} else {
				step.ConfigStateChecks = []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("test", test.want)}
			}
			resource.Test(t, resource.TestCase{
				TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
				ProtoV6ProviderFactories: factories,
				Steps:                    []resource.TestStep{step},
			})
		})
	}
}

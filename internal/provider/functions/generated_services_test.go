package functions_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/command"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const (
	taggedShop = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
type: Dataplane
mesh: shop
name: web-1
networking:
  address: 10.0.0.1
  inbound: [{port: 8080, tags: {kuma.io/service: web, kuma.io/protocol: http}}]
  outbound: [{port: 10001, backendRef: {kind: MeshService, name: api, port: 80}}]
---
type: Dataplane
mesh: shop
name: api-1
networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}
`
	labeledShop = `
{type: Mesh, name: shop}
---
type: Dataplane
mesh: shop
name: web-1
labels: {kuma.io/workload: web}
networking:
  address: 10.0.0.1
  inbound: [{port: 8080, name: http, protocol: http}]
  outbound: [{port: 10001, backendRef: {kind: MeshService, labels: {kuma.io/display-name: api}, port: 80}}]
---
type: Dataplane
mesh: shop
name: api-1
labels: {kuma.io/workload: api}
networking: {address: 10.0.0.2, inbound: [{port: 80, name: http, protocol: http}]}
`
	apiTimeout = `---
type: MeshTimeout
mesh: shop
name: api
spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: api}}, default: {http: {requestTimeout: 7s}}}]}
`
)

// TestServicesOfDocumentsAreInAllAnswers checks with documents alone that function, data source
// and command know the MeshServices that a control plane generates from tags (2.14) or workloads
// (3.0), and that all of them return the same.
func TestServicesOfDocumentsAreInAllAnswers(t *testing.T) {
	t.Parallel()
	terraform := providertest.NewTerraform(t)
	for name, documents := range map[string]string{"tags": taggedShop, "workloads": labeledShop} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := documents + apiTimeout
			a := analyses{Terraform: terraform, mesh: "shop", dataplane: "web-1", service: "api", policyType: "MeshTimeout", names: analysisNames}
			got := a.compare(t, with, with, nil)
			if findings := got["mesh_lint"]["findings"]; strings.Contains(findings, "dangling-") {
				t.Errorf("findings %s, want no dangling reference", findings)
			}
			if verdict, timeouts := got["request"]["verdict"], got["request"]["timeouts"]; verdict != `"allowed"` || !strings.Contains(timeouts, `"7s"`) {
				t.Errorf("verdict %s with timeouts %s, want allowed with 7s", verdict, timeouts)
			}
			text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
			got["policy_impact"] = a.call(t, "policy_impact", text(documents), text(with), text("shop"))
			if changes := got["policy_impact"]["changes"]; !strings.Contains(changes, `7s`) {
				t.Errorf("changes %s, want the timeout of 7s", changes)
			}
			before, after := filepath.Join(t.TempDir(), "before.yaml"), filepath.Join(t.TempDir(), "after.yaml")
			for file, content := range map[string]string{before: documents, after: with} {
				testworld.NoError(t, os.WriteFile(file, []byte(content), 0o600))
			}
			for analysis, arguments := range map[string][]string{
				"access": {"access", after}, "mesh_lint": {"lint", "-kuma3", after}, "policy_impact": {"impact", before, after},
				"request": {"request", "-dataplane", "web-1", "-service", "api", "-port", "80", after},
			} {
				if diff := cmp.Diff(got[analysis], commandAttributes(t, arguments)); diff != "" {
					t.Errorf("%s (-function +command):\n%s", analysis, diff)
				}
			}
		})
	}
}

// commandAttributes returns the fields of the JSON that a command writes, as the text of
// attributes, which are null if they are absent.
func commandAttributes(t *testing.T, arguments []string) map[string]string {
	t.Helper()
	var out, errs bytes.Buffer
	if command.Run(t.Context(), "test", append(arguments, "-format", "json"), strings.NewReader(""), &out, &errs) == 2 {
		t.Fatalf("%s: %s", arguments, errs.String())
	}
	decoded, err := tree.DecodeJSON(out.Bytes())
	testworld.NoError(t, err)
	attributes := map[string]string{}
	if arguments[0] == "request" {
		attributes = map[string]string{"listener": "null", "redirect": "null", "retry": "null", "route": "null"}
	}
	for name, value := range tree.Object(decoded) {
		if attributes[name], err = tree.EncodeJSON(value); err != nil {
			t.Fatal(err)
		}
	}
	return attributes
}

// TestUnknownFieldsAreNamed checks that the answers name a field that the control plane drops, which
// lets the policy select all proxies.
func TestUnknownFieldsAreNamed(t *testing.T) {
	t.Parallel()
	const documents = taggedShop + `---
type: MeshTimeout
mesh: shop
name: misspelled
spec:
  targetRef: {kind: Dataplane, label: {app: none}}
  to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]
`
	a := analyses{Terraform: providertest.NewTerraform(t), mesh: "shop", dataplane: "web-1", service: "api", policyType: "MeshTimeout", names: analysisNames}
	for name, got := range a.compare(t, documents, documents, nil) {
		if w := got["warnings"]; !strings.Contains(w, `MeshTimeout \"misspelled\" of mesh \"shop\", spec.targetRef.label: `) || !strings.Contains(w, `Did you mean \"labels\"?`) {
			t.Errorf("%s: warnings %s, want the field and the one that is meant", name, w)
		}
	}
}

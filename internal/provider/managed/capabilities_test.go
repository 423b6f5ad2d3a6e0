package managed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestOlderControlPlane checks that the plan reports what a control plane does not
// support, on the attribute.
func TestOlderControlPlane(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	tests := map[string]struct {
		cp     *providertest.OtherRelease
		config string
		want   []string // none: it is planned
	}{
		"kind": {
			&providertest.OtherRelease{Version: "2.11.18", Lacks: []string{"MeshTrust"}},
			"resource \"kuma_mesh_trust\" \"x\" {\n name = \"x\"\n spec {\n trust_domain = \"a\"\n ca_bundles {\n type = \"Pem\"\n pem {\n value = file(\"ca.pem\")\n}\n}\n}\n}\n",
			[]string{"Unsupported kind MeshTrust", "since 2.12", "kuma_mesh_trust.x"},
		},
		"kind of a data source": {
			&providertest.OtherRelease{Version: "2.11.18", Lacks: []string{"MeshTrust"}},
			"data \"kuma_mesh_trust\" \"x\" {\n name = \"x\"\n}\n",
			[]string{"Kuma supports the kind MeshTrust since 2.12", "data.kuma_mesh_trust.x"},
		},
		"kind of listed resources": {
			&providertest.OtherRelease{Version: "2.11.18", Lacks: []string{"MeshTrust"}},
			"data \"kuma_resources\" \"x\" {\n type = \"MeshTrust\"\n}\n",
			[]string{"Kuma supports the kind MeshTrust since 2.12", "data.kuma_resources.x"},
		},
		"reference": {
			&providertest.OtherRelease{Version: "2.9.19"}, targeting("Dataplane", "Mesh"),
			[]string{"Dataplane is not supported", "requires Kuma 2.10 or later, and the control plane runs 2.9", `kind = "Dataplane"`},
		},
		"destination": {
			&providertest.OtherRelease{Version: "2.10.11"}, targeting("Mesh", "MeshHTTPRoute"),
			[]string{"MeshHTTPRoute is not supported", "requires Kuma 2.11 or later", `kind = "MeshHTTPRoute"`},
		},
		"field": {
			&providertest.OtherRelease{Version: "2.13.10"},
			"resource \"kuma_mesh_service\" \"x\" {\n name = \"x\"\n spec {\n selector {\n dataplane_labels {\n match_labels = { app = \"x\" }\n}\n}\n}\n}\n",
			[]string{`Control plane does not support "dataplane_labels"`, "requires Kuma 2.14 or later"},
		},
		"section of a service with labels": {
			&providertest.OtherRelease{Version: "2.9.0"},
			"resource \"kuma_mesh_timeout\" \"x\" {\n name = \"x\"\n spec {\n to {\n target_ref {\n kind = \"MeshService\"\n labels = { app = \"x\" }\n section_name = \"http\"\n}\n default {\n idle_timeout = \"1s\"\n}\n}\n}\n}\n",
			[]string{"section_name conflicts with labels", "since Kuma 2.10, and the control plane runs 2.9", `section_name = "http"`},
		},
		"current":      {&providertest.OtherRelease{Version: "2.14.3"}, targeting("Dataplane", "Mesh"), nil},
		"test build":   {&providertest.OtherRelease{Version: "unknown"}, targeting("Dataplane", "Mesh"), nil},
		"MeshTCPRoute": {&providertest.OtherRelease{Version: "2.14.3"}, targeting("Mesh", "MeshTCPRoute"), []string{"no release of Kuma accepts them"}},
		"zone's kind on a global": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "global"}`},
			"resource \"kuma_mesh_zone_address\" \"x\" {\n name = \"x\"\n spec {\n address = \"a\"\n port = 1\n}\n}\n",
			[]string{"Wrong control plane for MeshZoneAddress", `in resource "kuma_mesh_zone_address" "x"`},
		},
		"global's kind on a zone": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "zone", "multizone": {"zone": {"name": "east", "globalAddress": "grpcs://global:5685"}}}`},
			"resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n}\n",
			[]string{"Wrong control plane for Mesh"},
		},
		"zone's origin on a global": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "global"}`},
			"resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n labels = { \"kuma.io/origin\" = \"zone\" }\n}\n",
			[]string{"Origin must be global", `labels = { "kuma.io/origin" = "zone" }`},
		},
		"global's origin on a zone of a global": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "zone", "multizone": {"zone": {"name": "east", "globalAddress": "grpcs://global:5685"}}}`},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshMetric\", name = \"x\", labels = { \"kuma.io/origin\" = \"global\" }, spec = { default = {} } }\n}\n",
			[]string{"Origin must be zone", "labels", "kuma.io/origin"},
		},
		"origin left to the provider on a zone of a global": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "zone", "multizone": {"zone": {"name": "east", "globalAddress": "grpcs://global:5685"}}}`},
			targeting("Dataplane", "Mesh"), nil,
		},
		"read-only": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "zone", "environment": "universal", "apiServer": {"readOnly": true}}`},
			targeting("Dataplane", "Mesh"),
			[]string{"Control plane is read-only", "kuma_mesh_timeout.x"},
		},
		"manifest on Kubernetes": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "zone", "environment": "kubernetes"}`},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshMetric\", name = \"x\", spec = { default = {} } }\n}\n",
			[]string{"Control plane runs on Kubernetes", "kuma_manifest.x"},
		},
		"data source on Kubernetes": {
			&providertest.OtherRelease{Version: "2.14.3", Config: `{"mode": "zone", "environment": "kubernetes"}`},
			"data \"kuma_resources\" \"x\" {\n type = \"MeshTimeout\"\n}\n",
			nil,
		},
		"misspelled kind of a manifest": {
			&providertest.OtherRelease{Version: "2.14.3"},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshTimeoutt\", name = \"x\" }\n}\n",
			[]string{"Unsupported kind MeshTimeoutt", `Did you mean "MeshTimeout"`},
		},
		"manifest": {
			&providertest.OtherRelease{Version: "2.9.19"},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshMetric\", name = \"x\", spec = { targetRef = { kind = \"Dataplane\" }, default = {} } }\n}\n",
			[]string{"Dataplane is not supported", "spec.targetRef.kind"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + test.cp.Start(t) + test.config, "ca.pem": certificate})
			out, code := c.Run(t, "plan")
			if (code == 0) != (test.want == nil) {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			flat := strings.Join(strings.Fields(out), " ")
			for _, want := range test.want {
				if !strings.Contains(flat, want) {
					t.Errorf("%q is missing in:\n%s", want, out)
				}
			}
		})
	}
}

const certificate = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"

// targeting is a policy with the given kinds of references.
func targeting(top, to string) string {
	name := ""
	if to != "Mesh" {
		name = "name = \"web\"\n"
	}
	return fmt.Sprintf("resource \"kuma_mesh_timeout\" \"x\" {\n name = \"x\"\n spec {\n target_ref {\n kind = %q\n}\n to {\n target_ref {\n kind = %q\n%s}\n default {\n http {\n request_timeout = \"1s\"\n}\n}\n}\n}\n}\n", top, to, name)
}

// TestManifestOfAnotherKind checks that kinds that only the control plane knows are
// passed through, and that drift is a difference from the last stored document.
func TestManifestOfAnotherKind(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	o := &providertest.OtherRelease{Version: "2.14.3"}
	provider := o.Start(t)
	config := func(address string) string {
		return providertest.RequiredProvider + provider + `
resource "kuma_manifest" "external" {
  manifest = {
    type       = "ExternalService"
    mesh       = "default"
    name       = "httpbin"
    networking = { address = "` + address + `" }
    tags       = { "kuma.io/service" = "httpbin" }
  }
}
`
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": config("httpbin.org:80")})
	nothing := func(when string) {
		t.Helper()
		if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
			t.Errorf("%s there is something to do:\n%s", when, out)
		}
	}
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "Kind not validated during the plan") {
		t.Errorf("there is no warning:\n%s", out)
	}
	nothing("after the apply")
	providertest.Write(t, c.Dir+"/main.tf", config("httpbin.org:443"))
	c.Must(t, "apply", "-auto-approve")
	nothing("after the change")
	c.Must(t, "state", "rm", "kuma_manifest.external")
	c.Must(t, "import", "kuma_manifest.external", "ExternalService/default/httpbin")
	c.Must(t, "apply", "-auto-approve")
	nothing("after the import")

	o.Mutex.Lock()
	stored := o.Legacy["/meshes/default/external-services/httpbin"]
	stored["networking"] = map[string]any{"address": "elsewhere:80"}
	o.Mutex.Unlock()
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 2 || !strings.Contains(out, "elsewhere:80") {
		t.Errorf("the change by another client is not reverted:\n%s", out)
	}
	c.Must(t, "apply", "-auto-approve")
	nothing("after the repair")
	c.Must(t, "destroy", "-auto-approve")
	if len(o.Legacy) != 0 {
		t.Errorf("left behind: %v", o.Legacy)
	}
}

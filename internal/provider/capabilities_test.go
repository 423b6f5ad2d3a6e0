package provider_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// otherRelease is a control plane that reports another version, lacks some
// kinds, and has one that the provider does not describe: an ExternalService,
// which it stores with the label that rest-api.md §20 shows.
type otherRelease struct {
	*embedded.Server
	version string
	lacks   []string
	config  string // instead of its own

	mu     sync.Mutex
	legacy map[string]map[string]any
}

func (o *otherRelease) start(t *testing.T) string {
	t.Helper()
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()})
	if err != nil {
		t.Fatal(err)
	}
	o.Server, o.legacy = s, map[string]map[string]any{}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	return fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
}

func (o *otherRelease) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/":
		_, _ = fmt.Fprintf(w, `{"product": "Kuma", "version": %q}`, o.version)
	case r.URL.Path == "/config" && o.config != "":
		_, _ = io.WriteString(w, o.config)
	case r.URL.Path == "/_resources":
		o.list(w, r)
	case strings.Contains(r.URL.Path, "/external-services/"):
		o.external(w, r)
	case o.lacksPath(r.URL.Path):
		http.Error(w, "404: Page Not Found", http.StatusNotFound)
	default:
		o.Server.ServeHTTP(w, r)
	}
}

// lacksPath reports whether a path is that of a kind that the control plane lacks.
func (o *otherRelease) lacksPath(path string) bool {
	return slices.ContainsFunc(o.lacks, func(name string) bool {
		k, _ := kinds.Find(name)
		return slices.Contains(strings.Split(path, "/"), k.Path)
	})
}

func (o *otherRelease) list(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	o.Server.ServeHTTP(answer, r)
	var all struct {
		Resources []map[string]any `json:"resources"`
	}
	_ = json.Unmarshal(answer.Body.Bytes(), &all)
	all.Resources = slices.DeleteFunc(all.Resources, func(k map[string]any) bool {
		return slices.Contains(o.lacks, fmt.Sprint(k["name"]))
	})
	all.Resources = append(all.Resources, map[string]any{"name": "ExternalService", "path": "external-services", "scope": "Mesh", "shortName": ""})
	_ = json.NewEncoder(w).Encode(all)
}

func (o *otherRelease) external(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	doc, ok := o.legacy[r.URL.Path]
	switch {
	case r.Method == http.MethodPut:
		doc = map[string]any{}
		_ = json.NewDecoder(r.Body).Decode(&doc)
		labels, _ := doc["labels"].(map[string]any)
		if labels == nil {
			labels = map[string]any{}
		}
		labels["kuma.io/mesh"] = doc["mesh"]
		doc["labels"] = labels
		o.legacy[r.URL.Path] = doc
		if !ok {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, "{}")
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"type":"/std-errors","status":404,"title":"Could not retrieve a resource","detail":"Not found"}`)
	case r.Method == http.MethodDelete:
		delete(o.legacy, r.URL.Path)
		_, _ = io.WriteString(w, "{}")
	default:
		_ = json.NewEncoder(w).Encode(doc)
	}
}

// TestOlderControlPlane checks that the plan reports what a control plane does not
// support, on the attribute.
func TestOlderControlPlane(t *testing.T) {
	t.Parallel()
	needCLI(t)
	tests := map[string]struct {
		cp     *otherRelease
		config string
		want   []string // none: it is planned
	}{
		"kind": {
			&otherRelease{version: "2.11.18", lacks: []string{"MeshTrust"}},
			"resource \"kuma_mesh_trust\" \"x\" {\n name = \"x\"\n spec {\n trust_domain = \"a\"\n ca_bundles {\n type = \"Pem\"\n pem {\n value = file(\"ca.pem\")\n}\n}\n}\n}\n",
			[]string{"Unsupported kind MeshTrust", "since 2.12", "kuma_mesh_trust.x"},
		},
		"kind of a data source": {
			&otherRelease{version: "2.11.18", lacks: []string{"MeshTrust"}},
			"data \"kuma_mesh_trust\" \"x\" {\n name = \"x\"\n}\n",
			[]string{"Kuma supports the kind MeshTrust since 2.12", "data.kuma_mesh_trust.x"},
		},
		"kind of listed resources": {
			&otherRelease{version: "2.11.18", lacks: []string{"MeshTrust"}},
			"data \"kuma_resources\" \"x\" {\n type = \"MeshTrust\"\n}\n",
			[]string{"Kuma supports the kind MeshTrust since 2.12", "data.kuma_resources.x"},
		},
		"reference": {
			&otherRelease{version: "2.9.19"}, targeting("Dataplane", "Mesh"),
			[]string{"Dataplane is not supported", "requires Kuma 2.10 or later, and the control plane runs 2.9", `kind = "Dataplane"`},
		},
		"destination": {
			&otherRelease{version: "2.10.11"}, targeting("Mesh", "MeshHTTPRoute"),
			[]string{"MeshHTTPRoute is not supported", "requires Kuma 2.11 or later", `kind = "MeshHTTPRoute"`},
		},
		"field": {
			&otherRelease{version: "2.13.10"},
			"resource \"kuma_mesh_service\" \"x\" {\n name = \"x\"\n spec {\n selector {\n dataplane_labels {\n match_labels = { app = \"x\" }\n}\n}\n}\n}\n",
			[]string{"Control plane does not support dataplane_labels", "requires Kuma 2.14 or later"},
		},
		"section of a service with labels": {
			&otherRelease{version: "2.9.0"},
			"resource \"kuma_mesh_timeout\" \"x\" {\n name = \"x\"\n spec {\n to {\n target_ref {\n kind = \"MeshService\"\n labels = { app = \"x\" }\n section_name = \"http\"\n}\n default {\n idle_timeout = \"1s\"\n}\n}\n}\n}\n",
			[]string{"section_name conflicts with labels", "since Kuma 2.10, and the control plane runs 2.9", `section_name = "http"`},
		},
		"current":      {&otherRelease{version: "2.14.3"}, targeting("Dataplane", "Mesh"), nil},
		"test build":   {&otherRelease{version: "unknown"}, targeting("Dataplane", "Mesh"), nil},
		"MeshTCPRoute": {&otherRelease{version: "2.14.3"}, targeting("Mesh", "MeshTCPRoute"), []string{"no release up to 2.14 accepts them"}},
		"zone's kind on a global": {
			&otherRelease{version: "2.14.3", config: `{"mode": "global"}`},
			"resource \"kuma_mesh_zone_address\" \"x\" {\n name = \"x\"\n spec {\n address = \"a\"\n port = 1\n}\n}\n",
			[]string{"Wrong control plane for MeshZoneAddress", `in resource "kuma_mesh_zone_address" "x"`},
		},
		"global's kind on a zone": {
			&otherRelease{version: "2.14.3", config: `{"mode": "zone", "multizone": {"zone": {"name": "east", "globalAddress": "grpcs://global:5685"}}}`},
			"resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n}\n",
			[]string{"Wrong control plane for Mesh"},
		},
		"zone's origin on a global": {
			&otherRelease{version: "2.14.3", config: `{"mode": "global"}`},
			"resource \"kuma_mesh\" \"x\" {\n name = \"x\"\n labels = { \"kuma.io/origin\" = \"zone\" }\n}\n",
			[]string{"Origin must be global", `labels = { "kuma.io/origin" = "zone" }`},
		},
		"global's origin on a zone of a global": {
			&otherRelease{version: "2.14.3", config: `{"mode": "zone", "multizone": {"zone": {"name": "east", "globalAddress": "grpcs://global:5685"}}}`},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshMetric\", name = \"x\", labels = { \"kuma.io/origin\" = \"global\" }, spec = { default = {} } }\n}\n",
			[]string{"Origin must be zone", "labels", "kuma.io/origin"},
		},
		"origin left to the provider on a zone of a global": {
			&otherRelease{version: "2.14.3", config: `{"mode": "zone", "multizone": {"zone": {"name": "east", "globalAddress": "grpcs://global:5685"}}}`},
			targeting("Dataplane", "Mesh"), nil,
		},
		"read-only": {
			&otherRelease{version: "2.14.3", config: `{"mode": "zone", "environment": "universal", "apiServer": {"readOnly": true}}`},
			targeting("Dataplane", "Mesh"),
			[]string{"Control plane is read-only", "kuma_mesh_timeout.x"},
		},
		"manifest on Kubernetes": {
			&otherRelease{version: "2.14.3", config: `{"mode": "zone", "environment": "kubernetes"}`},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshMetric\", name = \"x\", spec = { default = {} } }\n}\n",
			[]string{"Control plane runs on Kubernetes", "kuma_manifest.x"},
		},
		"data source on Kubernetes": {
			&otherRelease{version: "2.14.3", config: `{"mode": "zone", "environment": "kubernetes"}`},
			"data \"kuma_resources\" \"x\" {\n type = \"MeshTimeout\"\n}\n",
			nil,
		},
		"misspelled kind of a manifest": {
			&otherRelease{version: "2.14.3"},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshTimeoutt\", name = \"x\" }\n}\n",
			[]string{"Unsupported kind MeshTimeoutt", `Did you mean "MeshTimeout"`},
		},
		"manifest": {
			&otherRelease{version: "2.9.19"},
			"resource \"kuma_manifest\" \"x\" {\n manifest = { type = \"MeshMetric\", name = \"x\", spec = { targetRef = { kind = \"Dataplane\" }, default = {} } }\n}\n",
			[]string{"Dataplane is not supported", "spec.targetRef.kind"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCLI(t, map[string]string{"main.tf": requiredProvider + test.cp.start(t) + test.config, "ca.pem": certificate})
			out, code := c.run(t, "plan")
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

const requiredProvider = `
terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}
`

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
	needCLI(t)
	o := &otherRelease{version: "2.14.3"}
	provider := o.start(t)
	config := func(address string) string {
		return requiredProvider + provider + `
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
	c := newCLI(t, map[string]string{"main.tf": config("httpbin.org:80")})
	nothing := func(when string) {
		t.Helper()
		if out, code := c.run(t, "plan", "-detailed-exitcode"); code != 0 {
			t.Errorf("%s there is something to do:\n%s", when, out)
		}
	}
	if out := c.must(t, "apply", "-auto-approve"); !strings.Contains(out, "Kind not validated during the plan") {
		t.Errorf("there is no warning:\n%s", out)
	}
	nothing("after the apply")
	write(t, c.dir+"/main.tf", config("httpbin.org:443"))
	c.must(t, "apply", "-auto-approve")
	nothing("after the change")
	c.must(t, "state", "rm", "kuma_manifest.external")
	c.must(t, "import", "kuma_manifest.external", "ExternalService/default/httpbin")
	c.must(t, "apply", "-auto-approve")
	nothing("after the import")

	o.mu.Lock()
	stored := o.legacy["/meshes/default/external-services/httpbin"]
	stored["networking"] = map[string]any{"address": "elsewhere:80"}
	o.mu.Unlock()
	if out, code := c.run(t, "plan", "-detailed-exitcode"); code != 2 || !strings.Contains(out, "elsewhere:80") {
		t.Errorf("the change by another client is not reverted:\n%s", out)
	}
	c.must(t, "apply", "-auto-approve")
	nothing("after the repair")
	c.must(t, "destroy", "-auto-approve")
	if len(o.legacy) != 0 {
		t.Errorf("left behind: %v", o.legacy)
	}
}

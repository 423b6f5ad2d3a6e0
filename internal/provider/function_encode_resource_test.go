package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestEncodeResource(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ yaml, want string }{
		"blocks": {
			`{type: MeshTimeout, name: web, mesh: shop, labels: {team: web}, spec: {
				targetRef: {kind: Mesh, proxyTypes: [Sidecar]},
				to: [{targetRef: {kind: MeshService, name: a}, default: {idleTimeout: 60s}}, {targetRef: {kind: Mesh}, default: {http: {requestTimeout: 0s}}}]}}`,
			`
resource "kuma_mesh_timeout" "web" {
  name = "web"
  mesh = "shop"
  labels = {
    team = "web"
  }
  spec {
    target_ref {
      kind        = "Mesh"
      proxy_types = ["Sidecar"]
    }
    to {
      target_ref {
        kind = "MeshService"
        name = "a"
      }
      default {
        idle_timeout = "60s"
      }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          request_timeout = "0s"
        }
      }
    }
  }
}
`,
		},
		"lists without an entry": {
			`{type: MeshAccessLog, name: off, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, default: {backends: []}}]}}`,
			`
resource "kuma_mesh_access_log" "off" {
  name = "off"
  mesh = "default"
  spec {
    target_ref {
      kind = "Mesh"
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        explicitly_empty = ["backends"]
      }
    }
  }
}
`,
		},
		"Kubernetes format, no spec, a name that is no identifier": {
			`{apiVersion: kuma.io/v1alpha1, kind: Mesh, metadata: {name: 1st.shop}, spec: {meshServices: {mode: Disabled}}}`,
			`
resource "kuma_mesh" "_1st_shop" {
  name = "1st.shop"
  labels = {
    "kuma.io/display-name" = "1st.shop"
  }
  mesh_services {
    mode = "Disabled"
  }
}
`,
		},
		"free-form JSON and templates": {
			`{type: MeshProxyPatch, name: patch, spec: {default: {appendModifications: [
				{cluster: {operation: Patch, jsonPatches: [{op: add, path: /a, value: {b: [1, null], c: "${x}"}}]}}]}}}`,
			`
resource "kuma_mesh_proxy_patch" "patch" {
  name = "patch"
  mesh = "default"
  spec {
    default {
      append_modifications {
        cluster {
          operation = "Patch"
          json_patches {
            op   = "add"
            path = "/a"
            value = jsonencode({
              b = [1, null]
              c = "$${x}"
            })
          }
        }
      }
    }
  }
}
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := resourceText(t.Context(), argument(t, test.yaml))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), got); diff != "" {
				t.Errorf("resource (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEncodeResourceLosesNothing: what the resource cannot say is an error.
func TestEncodeResourceLosesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ yaml, want string }{
		"no document":       {`[a]`, `one object with type and name is needed`},
		"no kind":           {`{type: MeshTimeuot, name: web}`, `Did you mean "MeshTimeout"?`},
		"misspelt member":   {`{type: MeshTimeout, name: web, spec: {too: [], to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`, `spec.too: MeshTimeout has no member "too" here, and a control plane would drop it silently.`},
		"wrong type":        {`{type: MeshTimeout, name: web, spec: {to: {}}}`, `spec.to: to takes a list, not an object`},
		"no attribute":      {`{type: Mesh, name: shop, mtls: {backends: [{name: ca, type: builtin, conf: {own: 1}}]}}`, `mtls.backends[0].conf.own: kuma_mesh has no attribute for this member. Use kuma_manifest`},
		"several, all told": {`{type: MeshTimeout, name: web, spec: {too: 1, two: 2, targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`, `spec.two: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := resourceText(t.Context(), argument(t, test.yaml))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, error %v, want the error %q", got, err, test.want)
			}
		})
	}
}

// argument returns a document as a function gets it.
func argument(t *testing.T, text string) types.Dynamic {
	t.Helper()
	docs, err := tree.DecodeYAML([]byte(text))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	return types.DynamicValue(tfvalue.FromTree(t.Context(), docs[0]))
}

package functions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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
		"Kubernetes format, no spec, a name that is not an identifier": {
			`{apiVersion: kuma.io/v1alpha1, kind: Mesh, metadata: {name: 1st.shop}, spec: {meshServices: {mode: Disabled}}}`,
			`
resource "kuma_mesh" "_1st_shop" {
  name = "1st.shop"

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
		"a field without an argument, and a display name of its own": {
			`{type: Mesh, name: shop, labels: {kuma.io/display-name: Shop, kuma.io/origin: zone}, mtls: {backends: [{name: ca, type: builtin, conf: {own: 1}}]}}`,
			`
resource "kuma_manifest" "shop" {
  manifest = {
    type = "Mesh"
    name = "shop"
    labels = {
      "kuma.io/display-name" = "Shop"
    }
    mtls = {
      backends = [{
        type = "builtin"
        name = "ca"
        conf = {
          own = 1
        }
      }]
    }
  }
}
`,
		},
		"a kind that only a control plane knows": {
			`{type: TrafficRoute, mesh: shop, name: web, labels: {kuma.io/origin: zone}, conf: {destination: {kuma.io/service: web}}}`,
			`
resource "kuma_manifest" "web" {
  manifest = {
    type = "TrafficRoute"
    mesh = "shop"
    name = "web"
    labels = {
      "kuma.io/origin" = "zone"
    }
    conf = {
      destination = {
        "kuma.io/service" = "web"
      }
    }
  }
}
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := resourceText(argument(t, test.yaml), configuration.Options{Defaults: true})
			testworld.NoError(t, err)
			testworld.Equal(t, "resource", strings.TrimPrefix(test.want, "\n"), got)
		})
	}
}

// TestEncodeResourceLosesNothing checks that fields without an argument are an error.
func TestEncodeResourceLosesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ yaml, want string }{
		"no document":       {`[a]`, `must be an object with type and name`},
		"no kind":           {`{type: MeshTimeuot, name: web}`, `Did you mean "MeshTimeout"?`},
		"misspelled field":  {`{type: MeshTimeout, name: web, spec: {too: [], to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`, `spec.too: MeshTimeout does not have the field "too" here. A control plane would drop it silently.`},
		"wrong type":        {`{type: MeshTimeout, name: web, spec: {to: {}}}`, `spec.to: to must be a list, not an object`},
		"several, all told": {`{type: MeshTimeout, name: web, spec: {too: 1, two: 2, targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`, `spec.two: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := resourceText(argument(t, test.yaml), configuration.Options{Defaults: true})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, error %v, want the error %q", got, err, test.want)
			}
		})
	}
}

// TestEncodeResources checks options, references and invalid arguments.
func TestEncodeResources(t *testing.T) {
	t.Parallel()
	const documents = `
type: Mesh
name: shop
---
type: Secret
mesh: shop
name: key
labels:
  kuma.io/origin: zone
data: c2VjcmV0
`
	got, err := resourcesText(argumentList(t, documents), configuration.Options{Imports: true, ComputedLabels: true})
	testworld.NoError(t, err)
	want := `
resource "kuma_mesh" "shop" {
  name = "shop"
}

import {
  to = kuma_mesh.shop
  id = "shop"
}

resource "kuma_secret" "key" {
  name = "key"
  mesh = kuma_mesh.shop.name
  labels = {
    "kuma.io/origin" = "zone"
  }
  data = var.secret_key
}

import {
  to = kuma_secret.key
  id = "shop/key"
}

variable "secret_key" {
  description = "Value of Secret \"key\" of mesh \"shop\". If null, the stored value is kept."
  type        = string
  default     = null
  sensitive   = true
}
`
	testworld.Equal(t, "configuration", strings.TrimPrefix(want, "\n"), got)
	for name, test := range map[string]struct {
		documents tftypes.Value
		want      string
	}{
		"no list": {argument(t, `{type: Mesh, name: shop}`), `must be a list of documents`},
		"twice":   {argumentList(t, "type: Mesh\nname: shop\n---\ntype: Mesh\nname: shop\n"), `element 1: Mesh "shop" is in the list twice`},
		"wrong":   {argumentList(t, "type: Mesh\nname: shop\n---\ntype: Mesh\nname: shop\nrouting: 1\n"), `element 1: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := resourcesText(test.documents, configuration.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, error %v, want the error %q", got, err, test.want)
			}
		})
	}
}

func TestEncodeOptions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options []string
		want    configuration.Options
		refused string
	}{
		"none":          {nil, configuration.Options{Defaults: true}, ""},
		"both":          {[]string{`{import: true, computed_labels: true}`}, configuration.Options{Imports: true, ComputedLabels: true}, ""},
		"off":           {[]string{`{import: false}`}, configuration.Options{Defaults: true}, ""},
		"misspelled":    {[]string{`{imports: true}`}, configuration.Options{}, `Did you mean "import"?`},
		"no boolean":    {[]string{`{import: "yes"}`}, configuration.Options{}, `import must be true or false`},
		"not an object": {[]string{`[a]`}, configuration.Options{}, `must be an object`},
		"twice":         {[]string{`{}`, `{}`}, configuration.Options{}, `only one object of options`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var arguments []types.Dynamic
			for _, text := range test.options {
				docs, err := tree.DecodeYAML([]byte(text))
				testworld.NoError(t, err)
				arguments = append(arguments, types.DynamicValue(tfvalue.FromTree(t.Context(), docs[0])))
			}
			got, err := encodeOptions(t.Context(), arguments)
			switch {
			case test.refused == "" && (err != nil || !cmp.Equal(got, test.want)):
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
				t.Errorf("got error %v, want %q", err, test.refused)
			}
		})
	}
}

// argumentList returns documents as a function gets the result of
// decode_documents.
func argumentList(t *testing.T, text string) tftypes.Value {
	t.Helper()
	docs, err := tree.DecodeYAML([]byte(text))
	testworld.NoError(t, err)
	value, err := tfvalue.FromTree(t.Context(), docs).ToTerraformValue(t.Context())
	testworld.NoError(t, err)
	return value
}

// argument returns a document as a function gets it.
func argument(t *testing.T, text string) tftypes.Value {
	t.Helper()
	var documents []tftypes.Value
	testworld.NoError(t, argumentList(t, text).As(&documents))
	if len(documents) != 1 {
		t.Fatalf("%d documents", len(documents))
	}
	return documents[0]
}

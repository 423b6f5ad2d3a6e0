package managed_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// timeout is a MeshTimeout with two entries; %s is a place in the second one.
const timeout = `
resource "kuma_mesh_timeout" "test" {
  name = "web"
  spec {
    target_ref {
      kind = "Mesh"
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        idle_timeout = "1m"
      }
    }
    to {
      target_ref {
        %s
      }
      default {
        %s
      }
    }
  }
}
`

// patch is a MeshProxyPatch with one step of a JSON patch.
const patch = `
resource "kuma_mesh_proxy_patch" "test" {
  name = "web"
  spec {
    default {
      append_modifications {
        cluster {
          operation = "Patch"
          json_patches {
            path = "/connectTimeout"
            %s
            op = %s
          }
        }
      }
    }
  }
}
`

// TestMistakesAreShownWhereTheyAre plans configurations with the real CLI: errors that
// Terraform detects because the schema has blocks, and errors of the provider.
func TestMistakesAreShownWhereTheyAre(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const kind, conf = `kind = "Mesh"`, `idle_timeout = "1m"`
	providertest.CheckMistakes(t, "%s", map[string]providertest.Mistake{
		"misspelled argument of a resource": {
			"resource \"kuma_mesh\" \"test\" {\n naem = \"shop\"\n}\n",
			`Unsupported argument .* naem = "shop" .* An argument named "naem" is not expected here\. Did you mean "name"\?`,
		},
		"misspelled block of a resource": {
			"resource \"kuma_mesh\" \"test\" {\n name = \"shop\"\n mtsl {}\n}\n",
			`Unsupported block type .* mtsl \{\} .* Did you mean "mtls"\?`,
		},
		"misspelled argument of a single block": {
			"resource \"kuma_mesh\" \"test\" {\n name = \"shop\"\n mtls {\n enabled_backends = \"ca\"\n }\n}\n",
			`Unsupported argument .* enabled_backends = "ca" .* Did you mean "enabled_backend"\?`,
		},
		"misspelled block in a repeated block": {
			strings.Replace(fmt.Sprintf(timeout, kind, conf), "default {", "defaullt {", 1),
			`Unsupported block type .* defaullt \{ .* Did you mean "default"\?`,
		},
		"list for a text": {
			fmt.Sprintf(timeout, kind, `idle_timeout = ["1m"]`),
			`Incorrect attribute value type .* idle_timeout = \["1m"\] .* string required`,
		},
		"required argument left out": {
			"resource \"kuma_mesh\" \"test\" {}\n",
			`Missing required argument .* The argument "name" is required`,
		},
		"misspelled argument": {
			fmt.Sprintf(timeout, kind, `idel_timeout = "1m"`),
			`Unsupported argument .* An argument named "idel_timeout" is not expected here\. Did you mean "idle_timeout"\?`,
		},
		"misspelled block": {
			strings.Replace(fmt.Sprintf(timeout, kind, conf), "target_ref {", "target_reff {", 1),
			`Unsupported block type .* Blocks of type "target_reff" are not expected here\. Did you mean "target_ref"\?`,
		},
		"kind in the second entry": {
			fmt.Sprintf(timeout, `kind = "MeshGateway"`, conf),
			`MeshGateway cannot be referenced here .* line \d+, in resource "kuma_mesh_timeout" "test": .* kind = "MeshGateway"`,
		},
		"misspelled kind": {
			fmt.Sprintf(timeout, `kind = "MeshServce"`, conf),
			`Invalid reference kind .* kind = "MeshServce" .* Did you mean "MeshService"\?`,
		},
		"misspelled kind of proxies": {
			strings.Replace(fmt.Sprintf(timeout, kind, conf), kind, `kind = "Dataplan"`, 1),
			`Invalid reference kind .* Valid kinds: Mesh and Dataplane \(before Kuma 3\.0 also MeshGateway, MeshSubset, .* Did you mean "Dataplane"\?`,
		},
		"mode that Kuma 3.0 removed is offered last": {
			"resource \"kuma_mesh\" \"test\" {\n name = \"shop\"\n mesh_services {\n mode = \"exclusive\"\n }\n}\n",
			`Valid values: "Exclusive" \(before Kuma 3\.0 also "Disabled", .* Did you mean "Exclusive"\?`,
		},
		"duration without unit": {
			fmt.Sprintf(timeout, kind, `idle_timeout = "60"`),
			`Invalid idle_timeout .* idle_timeout = "60" .* idle_timeout "60" is not a valid duration`,
		},
		"nothing set": {
			fmt.Sprintf(timeout, kind, ""),
			`Missing required field .* default \{ .* At least one of connection_timeout, idle_timeout or http must be set\.`,
		},
		"string that is not JSON": {
			fmt.Sprintf(patch, `value = "5s"`, `"add"`),
			`Invalid JSON .* value = "5s" .* jsonencode\("5s"\)`,
		},
		"the same next to another mistake": {
			fmt.Sprintf(patch, `value = "{"`, `"test"`),
			`Unknown op .* Invalid JSON|Invalid JSON .* Unknown op`,
		},
		"policy without spec": {
			"resource \"kuma_mesh_timeout\" \"test\" {\n name = \"web\"\n}\n",
			`spec is missing .* Add a spec block with at least one "to", "from" or "rules" block\.`,
		},
		"proxies as destination": {
			fmt.Sprintf(timeout, `kind = "Dataplane"`, conf),
			`Dataplane cannot be referenced here .* "to" is for destinations\. To select the proxies, set spec\.target_ref\.`,
		},
		"destination as proxies": {
			strings.Replace(fmt.Sprintf(timeout, kind, conf), kind, `kind = "MeshExternalService"`, 1),
			`MeshExternalService cannot be referenced here .* To refer to a destination, add an entry to "to"\.`,
		},
		"rate limit of a destination": {
			strings.NewReplacer("kuma_mesh_timeout", "kuma_mesh_rate_limit", conf, "").Replace(fmt.Sprintf(timeout, `kind = "MeshService"`, conf)),
			`The only valid kind for this reference is Mesh, not MeshService\. .* select the proxies of the service in spec\.target_ref, and use "rules"\.`,
		},
		"route without matches": {
			"resource \"kuma_mesh_http_route\" \"test\" {\n name = \"web\"\n spec {\n to {\n target_ref {\n kind = \"Mesh\"\n }\n rules {\n default {}\n }\n }\n }\n}\n",
			`matches is missing .* Add at least one matches block\.`,
		},
		"two authorities": {
			"resource \"kuma_mesh\" \"test\" {\n name = \"shop\"\n mtls {\n backends {\n name = \"a\"\n type = \"builtin\"\n }\n backends {\n name = \"b\"\n type = \"builtin\"\n }\n }\n}\n",
			`The list "backends" has 2 elements, but only one is allowed\. Remove the others\.`,
		},
		"encrypted protocol": {
			"resource \"kuma_mesh_external_service\" \"test\" {\n name = \"web\"\n spec {\n match {\n port = 443\n protocol = \"https\"\n }\n }\n}\n",
			`Unknown protocol .* For requests that the application encrypts itself, use "tcp"\.`,
		},
		"negative number": {
			"resource \"kuma_mesh_circuit_breaker\" \"test\" {\n name = \"web\"\n spec {\n to {\n target_ref {\n kind = \"Mesh\"\n }\n default {\n connection_limits {\n max_connections = -1\n }\n }\n }\n }\n}\n",
			`The value is -1, but it must be at least [01]\.`,
		},
		"URL as address": {
			"resource \"kuma_mesh_external_service\" \"test\" {\n name = \"web\"\n spec {\n match {\n port = 443\n }\n endpoints {\n address = \"https://api.example.com/v1\"\n port = 443\n }\n }\n}\n",
			`Invalid address .* Use "api\.example\.com", without scheme, port and path\.`,
		},
		"address with a port": {
			"resource \"kuma_mesh_open_telemetry_backend\" \"test\" {\n name = \"web\"\n spec {\n endpoint {\n address = \"otel:4317\"\n }\n }\n}\n",
			`Invalid address .* Use "otel", without scheme, port and path\.`,
		},
		"unknown field in the template of a host name": {
			"resource \"kuma_hostname_generator\" \"test\" {\n name = \"web\"\n spec {\n selector {\n mesh_service {}\n }\n template = \"{{ .ServiceName }}.mesh\"\n }\n}\n",
			`Invalid template .* cannot be rendered: can't evaluate field ServiceName\. It can use \.DisplayName, .* and label\.`,
		},
		"template that is cut off": {
			"resource \"kuma_hostname_generator\" \"test\" {\n name = \"web\"\n spec {\n selector {\n mesh_service {}\n }\n template = \"{{ .Name\"\n }\n}\n",
			`The template cannot be parsed: unclosed action\. Use the syntax of Go templates`,
		},
		"block of another type": {
			"resource \"kuma_mesh_identity\" \"test\" {\n name = \"web\"\n spec {\n provider {\n type = \"Spire\"\n bundled {}\n }\n }\n}\n",
			`spire is missing .* The chosen type requires "spire"\. Add it\.`,
		},
		"identity of a client without scheme": {
			"resource \"kuma_mesh_traffic_permission\" \"test\" {\n name = \"web\"\n spec {\n rules {\n default {\n allow {\n spiffe_id {\n type = \"Exact\"\n value = \"shop/workload/web\"\n }\n }\n }\n }\n }\n}\n",
			`Invalid SPIFFE ID .* spiffe_id \{ .* such as "/workload/web", without a trailing slash\.`,
		},
		"two lists for incoming traffic": {
			"resource \"kuma_mesh_traffic_permission\" \"test\" {\n name = \"web\"\n spec {\n rules {\n default {\n allow {\n spiffe_id {\n type = \"Exact\"\n value = \"spiffe://a/b\"\n }\n }\n }\n }\n from {\n target_ref {\n kind = \"Mesh\"\n }\n default {\n action = \"Allow\"\n }\n }\n }\n}\n",
			`rules conflicts with from .* A policy with "rules" cannot set "from"\. Move "from" to a separate policy\.`,
		},
		"explicitly empty list that has blocks": {
			strings.Replace(fmt.Sprintf(timeout, kind, conf), "spec {", "spec {\n    explicitly_empty = [\"to\"]", 1),
			`List is not empty .* explicitly_empty = \["to"\]`,
		},
		"unknown explicitly empty list": {
			strings.Replace(fmt.Sprintf(timeout, kind, conf), "spec {", "spec {\n    explicitly_empty = [\"form\"]", 1),
			`Invalid list name .* Did you mean "from"\?`,
		},
	})
}

// TestValidate runs the command that editors and pipelines run first, without a
// control plane.
func TestValidate(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const requirements = `
terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}
`
	for name, test := range map[string]struct{ config, want string }{
		"misspelled block":    {strings.Replace(timeout, "target_ref {", "target_reff {", 1), `Unsupported block type .* Did you mean "target_ref"\?`},
		"misspelled argument": {strings.Replace(timeout, "idle_timeout", "idel_timeout", 1), `Unsupported argument .* Did you mean "idle_timeout"\?`},
		"wrong kind":          {timeout, `MeshGateway cannot be referenced here .* kind = "MeshGateway"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := providertest.NewCLI(t, map[string]string{"main.tf": requirements + fmt.Sprintf(test.config, `kind = "MeshGateway"`, `idle_timeout = "1m"`)})
			out, code := c.Run(t, "validate")
			if code != 1 || !providertest.Expression(test.want).MatchString(out) {
				t.Errorf("exit code %d, want 1 and %s in\n%s", code, test.want, out)
			}
		})
	}
}

// TestBadSurroundings checks that a problem outside the resources is one clear error.
func TestBadSurroundings(t *testing.T) {
	providertest.NeedCLI(t)
	t.Setenv("HOME", t.TempDir()) // no configuration of kumactl
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"type":"/std-errors","status":401,"title":"Invalid authentication data","detail":"Unauthenticated"}`))
	}))
	t.Cleanup(refusing.Close)
	file := filepath.Join(t.TempDir(), "file")
	testworld.NoError(t, os.WriteFile(file, nil, 0o600))
	policy := fmt.Sprintf(timeout, `kind = "Mesh"`, `idle_timeout = "1m"`)
	provider := func(format string, args ...any) string {
		return fmt.Sprintf("provider \"kuma\" {\n"+format+"\n}\n", args...) + policy
	}
	for name, test := range map[string]struct{ config, want string }{
		"unreachable endpoint": {
			provider(`endpoint = "http://127.0.0.1:1"`),
			`Cannot use the control plane .* in provider "kuma": .* 127\.0\.0\.1:1`,
		},
		"no URL": {
			provider(`endpoint = "kuma.example.com"`),
			`Invalid provider configuration .* in provider "kuma":`,
		},
		"refused token": {
			provider("endpoint = %q\n token = \"expired\"", refusing.URL),
			`Control plane rejected the token .* in provider "kuma":`,
		},
		"no control plane": {
			policy,
			`Missing control plane configuration .* KUMA_ENDPOINT`,
		},
		"directory is a file": {
			provider("embedded {\n directory = %q\n}", file),
			`Cannot start the embedded control plane .* directory = .* not a directory\. Set directory to one that the provider can read and write`,
		},
		"zone with a space": {
			provider("embedded {\n directory = %q\n zone = \"Zone 1\"\n kuma_version = \"2.14\"\n}", t.TempDir()),
			`Invalid name of a zone .* zone = "Zone 1" .* not a valid name of a zone in Kuma 2\.14\.`,
		},
		"zone that Kuma 3.0 rejects": {
			provider("embedded {\n directory = %q\n zone = \"zone_1\"\n}", t.TempDir()),
			`Invalid name of a zone .* zone = "zone_1" .* lowercase letters, digits and "-"`,
		},
		"no directory": {
			provider("embedded {\n zone = \"z\"\n}"),
			`Missing directory .* directory is required in an embedded block`,
		},
		"endpoint and embedded": {
			provider("endpoint = \"http://127.0.0.1:1\"\n embedded {\n directory = \"x\"\n}"),
			`Conflicting arguments .* endpoint conflicts with an embedded block`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Fails(t, test.config, test.want)
		})
	}
}

// TestRemovedBlockShowsItsLine checks that Terraform shows a block of the resource, and not the
// first line of the resource.
func TestRemovedBlockShowsItsLine(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewEmbeddedRelease(t, kuma.Release{Major: 3})
	providertest.Fails(t, cp.Config+"resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n  mtls {\n    enabled_backend = \"ca\"\n    backends {\n      name = \"ca\"\n      type = \"builtin\"\n    }\n  }\n}\n", `Control plane does not support "mtls" .* line \d+, in resource "kuma_mesh" "shop": \d+: mtls \{`)
}

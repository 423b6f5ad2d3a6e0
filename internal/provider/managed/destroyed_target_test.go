package managed_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// labeledService is a MeshService with a label, and timeoutTo a policy for what has the label.
func labeledService(block, name, label string) string {
	return fmt.Sprintf(`
resource "kuma_mesh_service" %q {
  mesh   = kuma_mesh.shop.name
  name   = %q
  labels = { app = %q }
  spec {
    selector {
      dataplane_labels {
        match_labels = { app = %q }
      }
    }
    ports {
      port = 80
    }
  }
}
`, block, name, label, label)
}

func timeoutTo(block, labels string) string {
	return fmt.Sprintf(`
resource "kuma_mesh_timeout" %[1]q {
  mesh = kuma_mesh.shop.name
  name = %[1]q
  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = %[2]s
      }
      default {
        idle_timeout = "1m"
      }
    }
  }
}
`, block, labels)
}

// TestDestroyOfReferencedService plans to destroy services to which others refer, with the argument
// reference_checks: what stays is reported, and nothing that the same run destroys or changes, in
// any order.
func TestDestroyOfReferencedService(t *testing.T) {
	providertest.NeedCLI(t)
	t.Parallel()
	cp := providertest.NewEmbeddedRelease(t, kuma.Release{Major: 3})
	const mesh = "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	const byLabel, byBlock = `{ app = "api" }`, `kuma_mesh_service.pay.labels`
	manifest := func(name, label string) string {
		return fmt.Sprintf("resource \"kuma_manifest\" %[1]q {\n  manifest = { type = \"MeshService\", mesh = kuma_mesh.shop.name, name = %[1]q, labels = { app = %[2]q }, spec = { ports = [{ port = 80 }] } }\n}\n", name, label)
	}
	many := func(keys string) string {
		each := "for_each = toset(" + keys + ")\n"
		service := strings.NewReplacer(`"many"`+" {\n", `"many"`+" {\n  "+each, `"$"`, "each.key").Replace(labeledService("many", "$", "$"))
		policy := strings.NewReplacer(`"literal" {`+"\n", `"literal" {`+"\n  "+each, `name = "literal"`, "name = each.key").Replace(timeoutTo("literal", "{ app = each.key }"))
		return service + policy
	}
	all := mesh + labeledService("api", "api", "api") + timeoutTo("api", byLabel) + labeledService("pay", "pay", "pay") + timeoutTo("pay", byBlock) +
		manifest("stock", "stock") + timeoutTo("stock", `{ app = "stock" }`) + many(`[for i in range(12) : "m${i}"]`) + labeledService("seen", "seen", "seen")
	without := func(parts ...string) string {
		rest := all
		for _, part := range parts {
			if rest = strings.ReplaceAll(rest, part, ""); rest == all {
				t.Fatalf("not part of the configuration: %s", part)
			}
		}
		return rest
	}
	cli := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.ConfigWith(`reference_checks = "error"`) + all})
	cli.Must(t, "apply", "-auto-approve")
	cp.Put(t, testworld.Resources(t,
		"{type: Dataplane, mesh: shop, name: client, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 81, backendRef: {kind: MeshService, labels: {app: seen}, port: 80}}]}}",
		"{type: MeshTimeout, mesh: shop, name: others, spec: {to: [{targetRef: {kind: MeshService, labels: {app: seen}}, default: {idleTimeout: 1h}}]}}",
	)...)
	service, relabeled := labeledService("api", "api", "api"), strings.Replace(without(labeledService("api", "api", "api"), labeledService("seen", "seen", "seen")), manifest("stock", "stock"), manifest("stock", "store"), 1)
	replaced := strings.NewReplacer(service, labeledService("other", "other", "api"), labeledService("pay", "pay", "pay"), labeledService("pay", "pay2", "pay2"), "range(12)", "range(2)").Replace(all)
	together := strings.Replace(without(service, timeoutTo("api", byLabel), manifest("stock", "stock"), many(`[for i in range(12) : "m${i}"]`)), `app = "stock"`, `app = "pay"`, 1)
	const (
		api    = `MeshService with labels app=api` // with the service or with the policy, whichever is planned last
		stock  = `MeshService with labels app=stock`
		others = `what these references resolve to: Dataplane "client" (networking.outbound[0].backendRef: MeshService with labels app=seen) and MeshTimeout "others" (spec.to[0].targetRef: MeshService with labels app=seen). The resources that have them are not in the state`
	)
	impatient := cli
	impatient.ExpectTimeout()
	for _, test := range []struct {
		name, checks, config string
		arguments            []string
		fails                bool
		want                 []string // none if the plan must not report anything
	}{
		{"kept and of others", "error", relabeled, nil, true, []string{api, stock, others}},
		{"a warning", "warning", relabeled, nil, false, []string{api, stock, others}},
		{"off", "off", relabeled, nil, false, nil},
		{"the kept ones come last", "error", relabeled, []string{"-parallelism=1"}, true, []string{"with kuma_mesh_timeout.api", "what spec.to[0].targetRef refers to: MeshService with labels app=api", `MeshTimeout "others" (spec.to[0].targetRef: `}},
		{"replaced, renamed and some of many", "error", replaced, nil, false, nil},
		{"destroyed together, and changed", "error", together, nil, false, nil},
		{"everything destroyed", "error", all, []string{"-destroy"}, false, []string{others}},
	} {
		providertest.Write(t, filepath.Join(cli.Dir, "main.tf"), providertest.RequiredProvider+cp.ConfigWith(fmt.Sprintf("reference_checks = %q", test.checks))+test.config)
		run := impatient.Run
		if test.want == nil {
			run = cli.Run
		}
		out, code := run(t, append([]string{"plan"}, test.arguments...)...)
		said := providertest.Unwrapped(out)
		if (code != 0) != test.fails || test.want == nil && strings.Contains(said, "Reference to a destroyed resource") {
			t.Errorf("%s: exit code %d\n%s", test.name, code, out)
		}
		for _, want := range test.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: want %q in\n%s", test.name, want, out)
			}
		}
	}
}

package proxies_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reviewedChange is a change of the shop. Edits are pairs of an old and a new text in its files.
type reviewedChange struct {
	base   []string // what is different in the shop before the change, too
	edits  []string
	added  [2]string // to the configuration, before and after
	forget string    // address of what Terraform does not know before the change
	older  bool      // not possible on Kuma 3.0
}

const (
	batch = `
resource "kuma_dataplane" "batch" {
  count  = %d
  mesh   = module.mesh.name
  name   = "batch-${count.index}"
  labels = { "kuma.io/workload" = "storefront" }
  networking {
    address = "10.0.8.${count.index}"
    inbound {
      port     = 8080
      protocol = "http"
    }
    outbound {
      port = 9001
      backend_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = "checkout" }
        port   = 80
      }
    }
  }
}
`
	legacy = `
resource "kuma_dataplane" "legacy" {
  mesh   = module.mesh.name
  name   = "legacy-1"
  labels = { "kuma.io/workload" = "legacy" }
  networking {
    address = "10.0.8.1"
    inbound {
      port = 8080
      tags = { "kuma.io/service" = "legacy" }
    }
    outbound {
      port = 9001
      tags = { "kuma.io/service" = "checkout" }
    }
  }
}
`
	slow = `
resource "kuma_manifest" "slow" {
  manifest = {
    type = "MeshTimeout"
    mesh = module.mesh.name
    name = "slow"
    spec = {
      targetRef = { kind = "Dataplane", labels = { "kuma.io/workload" = "checkout" } }
      to        = [{ targetRef = { kind = "MeshService", labels = { "kuma.io/display-name" = "stock" } }, default = { http = { requestTimeout = "9s" } } }]
    }
  }
}
`
	analyzed = `
data "kuma_policy_impact" "planned" {
  mesh     = "shop"
  planned  = local.planned
  complete = true

  kuma_version = var.kuma_version
}
`
)

var (
	callers  = "  callers      = [module.storefront.name]\n"
	planning = "[kuma_dataplane.egress],"
)

var reviewedChanges = map[string]reviewedChange{
	"canary":             {edits: []string{"= 10\n", "= 50\n"}},
	"permission-removed": {edits: []string{callers, "callers = []\n"}},
	"service-renamed":    {edits: []string{`= "stock"`, `= "inventory"`}},
	"module-destroyed": {edits: []string{
		`module "payments" {`, "/*", "module.checkout.name]\n}", "*/", "    module.payments.resources,\n", "",
		"    (module.payments.name) = { port = 9003, service_port = 80, kind = \"MeshExternalService\" }\n", "",
	}},
	"mesh-exclusive": {
		base: []string{
			`mode = "Exclusive"`, `mode = "Everywhere"`, planning, planning + " [kuma_dataplane.legacy],", `name     = "unused"`, `tags = { "kuma.io/service" = var.name }`,
			`= "storefront"`, "= \"storefront\"\nservice_tag = \"storefront\"", `= "checkout"`, "= \"checkout\"\nservice_tag = \"checkout\"", `= "stock"`, "= \"stock\"\nservice_tag = \"stock\"",
		},
		edits: []string{`mode = "Everywhere"`, `mode = "Exclusive"`},
		added: [2]string{legacy, legacy},
		older: true,
	},
	"mesh-imported": {forget: "module.mesh.kuma_mesh.this", edits: []string{`"2s"`, `"5s"`}, added: [2]string{1: "import {\n  to = module.mesh.kuma_mesh.this\n  id = \"shop\"\n}\n"}},
	"count":         {base: []string{planning, planning + " kuma_dataplane.batch,"}, added: [2]string{fmt.Sprintf(batch, 3), fmt.Sprintf(batch, 1)}},
	"moved":         {edits: []string{`module "stock"`, `module "inventory"`, "module.stock", "module.inventory"}, added: [2]string{1: "moved {\n  from = module.stock\n  to   = module.inventory\n}\n"}},
	"manifest":      {edits: []string{planning, planning + " [kuma_manifest.slow],"}, added: [2]string{1: slow}},
}

// reviewedShop is a copy of the shop in a mesh of its own.
type reviewedShop struct {
	cp   *oracle.Site
	mesh string
	dir  string
	run  func(arguments ...string) ([]byte, error)
}

// write writes the configuration with edits.
func (s *reviewedShop) write(t *testing.T, added string, edits ...[]string) {
	t.Helper()
	unused := map[string]bool{}
	for pair := range slices.Chunk(slices.Concat(edits...), 2) {
		unused[pair[0]] = true
	}
	examples := filepath.Join("..", "..", "..", "examples")
	err := filepath.WalkDir(examples, func(path string, d os.DirEntry, err error) error {
		relative, _ := filepath.Rel(examples, path)
		if err != nil || d.IsDir() || filepath.Ext(path) != ".tf" || !strings.HasPrefix(relative, "shop") && !strings.HasPrefix(relative, "modules") || d.Name() == "tokens.tf" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		switch d.Name() {
		case "provider.tf":
			text = fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", s.cp.Endpoint)
		case "gate.tf":
			text, _, _ = strings.Cut(text, "\ndata ")
			text += analyzed
		}
		for _, pairs := range edits {
			for pair := range slices.Chunk(pairs, 2) {
				if strings.Contains(text, pair[0]) {
					delete(unused, pair[0])
				}
			}
			text = strings.NewReplacer(pairs...).Replace(text)
		}
		if d.Name() == "provider.tf" {
			text += added
		}
		text = strings.ReplaceAll(text, `"shop"`, phrase.JSON(s.mesh))
		to := filepath.Join(s.dir, relative)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.WriteFile(to, []byte(text), 0o600)
	})
	if err != nil || len(unused) > 0 {
		t.Fatal(err, unused)
	}
}

// must runs Terraform.
func (s *reviewedShop) must(t *testing.T, arguments ...string) []byte {
	t.Helper()
	out, err := s.run(append([]string{"-chdir=" + filepath.Join(s.mesh, "shop")}, arguments...)...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, out)
	}
	return out
}

// sideOfChange is the shop on one side of a change.
type sideOfChange struct {
	stored  []kuma.Resource
	configs map[string]object // that proxies are sent
	mesh    envoy.Mesh        // the same, to send requests
}

// observe connects the proxies of all Dataplanes until they have the configuration that they keep.
func (s *reviewedShop) observe(t *testing.T) (side sideOfChange) {
	t.Helper()
	var err error
	if side.stored, err = s.cp.Stored(t.Context(), s.mesh); err != nil {
		t.Fatal(err)
	}
	connected := connect(t, s.cp, side.stored)
	side.configs = readings{}.settleBy(t, func(ctx context.Context) map[string]object {
		now := map[string]object{}
		for name := range connected {
			if answer, err := s.cp.Inspect(ctx, s.mesh, name, "_config"); err == nil {
				config, _ := rollout.ReadEnvoyConfig(tree.Object(answer))
				delete(config, "ClusterLoadAssignment") // which proxies there are, not how they are configured
				now[name] = configOf(config)
			}
		}
		return now
	})
	side.mesh = envoy.Mesh{}
	for name, p := range connected {
		if side.mesh[name], err = p.Config(t.Context()); err != nil {
			t.Fatal(name, err)
		}
		_ = p.Close()
	}
	return side
}

// send sends a request through each outbound to a service of the mesh, whose access reviews compare.
func (s sideOfChange) send(t *testing.T, received func(call, *kuma.Resource, []envoy.Outcome)) {
	t.Helper()
	for _, r := range s.stored {
		for _, o := range tree.Objects(tree.Object(r.Body["networking"])["outbound"]) {
			ref := tree.Object(o["backendRef"])
			if ref["kind"] == kuma.KindMeshExternalService {
				continue
			}
			outcomes, err := s.mesh.Send(r.Name, envoy.Request{Host: "127.0.0.1", Port: tree.Int(o["port"]), Method: "GET"})
			if err != nil {
				t.Fatal(r.Name, err)
			}
			c := call{r.Labels[kuma.LabelWorkload], tree.Text(tree.Object(ref["labels"])[kuma.LabelDisplayName])}
			if ref == nil {
				c.service = tree.Text(tree.Object(o["tags"])[kuma.TagService])
			}
			received(c, &r, outcomes)
		}
	}
}

// call is one of a workload to a service.
type call struct{ client, service string }

// calls returns whether services accept the requests of clients.
func (s sideOfChange) calls(t *testing.T) map[call]bool {
	t.Helper()
	accepted := map[call]bool{}
	s.send(t, func(c call, _ *kuma.Resource, outcomes []envoy.Outcome) {
		accepted[c] = len(outcomes) > 0 && !slices.ContainsFunc(outcomes, func(o envoy.Outcome) bool {
			return len(o.Hosts) == 0 || slices.ContainsFunc(o.Hosts, func(h envoy.Host) bool { return h.Arrival == nil || h.Arrival.Verdict != envoy.Allowed })
		})
	})
	return accepted
}

// does describes what each proxy does with the requests that it sends and receives.
func (s sideOfChange) does(t *testing.T) map[string]object {
	t.Helper()
	all := map[string]object{}
	for name := range s.mesh {
		all[name] = object{}
	}
	s.send(t, func(c call, from *kuma.Resource, outcomes []envoy.Outcome) {
		for i, o := range outcomes {
			all[from.Name][fmt.Sprintf("to %s %d", c.service, i)] = target(o) + " " + limits(o)
			for _, h := range o.Hosts {
				if h.Arrival != nil {
					o.Hosts = []envoy.Host{h}
					all[h.Dataplane]["from "+c.client] = everything(o) + " " + arrival(o)
				}
			}
		}
	})
	return all
}

package managed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// serviceToCheck is a MeshService; %s is its name or labels.
const serviceToCheck = `
resource "terraform_data" "later" {
  input = "api"
}
resource "kuma_mesh_service" "api" {
  mesh = kuma_mesh.shop.name
  %s
  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "api" }
      }
    }
    ports {
      port = 80
    }
  }
}
`

// TestReferenceChecks plans references with the argument reference_checks: what neither
// exists nor is planned is reported, and nothing that depends on the order of the plan or
// on unknown values.
func TestReferenceChecks(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const (
		known       = `name = "api"` + "\n" + `labels = { "kuma.io/display-name" = "api" }`
		nameLater   = `name = terraform_data.later.output`
		labelsLater = `name = "api"` + "\n" + `labels = { team = terraform_data.later.output }`
		toAPI       = `labels = { "kuma.io/display-name" = "api" }`
		missing     = `Reference to a resource that does not exist .* spec\.to\[0\]\.target_ref: There is no MeshService with labels kuma\.io/display-name=apj,`
	)
	for name, test := range map[string]struct {
		checks, service, target string
		want                    string // empty when the plan succeeds
	}{
		"planned without an order":    {"error", known, toAPI, ""},
		"planned before":              {"error", known, "labels = kuma_mesh_service.api.labels", ""},
		"missing":                     {"error", known, `labels = { "kuma.io/display-name" = "apj" }`, missing},
		"missing port":                {"error", known, toAPI + "\nsection_name = \"81\"", `Reference to a port that does not exist .* MeshService "api" has no port "81"`},
		"missing, warning":            {"warning", known, `labels = { "kuma.io/display-name" = "apj" }`, ""},
		"missing, off":                {"off", known, `labels = { "kuma.io/display-name" = "apj" }`, ""},
		"unknown reference":           {"error", known, `labels = { app = terraform_data.later.output }`, ""},
		"unknown name of a service":   {"error", nameLater, `labels = { "kuma.io/display-name" = "apj" }`, ""},
		"unknown labels of a service": {"error", labelsLater, `labels = { team = "apj" }`, ""},
		"unknown severity":            {"warn", known, toAPI, `Invalid value .* reference_checks = "warn"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewEmbeddedRelease(t, kuma.Release{Major: 3})
			config := cp.ConfigWith(fmt.Sprintf("reference_checks = %q", test.checks)) +
				"resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n" + fmt.Sprintf(serviceToCheck, test.service) + fmt.Sprintf(`
resource "kuma_mesh_timeout" "api" {
  mesh = kuma_mesh.shop.name
  name = "api"
  spec {
    to {
      target_ref {
        kind = "MeshService"
        %s
      }
      default {
        idle_timeout = "1m"
      }
    }
  }
}
`, test.target)
			if test.want != "" {
				providertest.Fails(t, config, test.want)
				return
			}
			providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + config}).Must(t, "plan")
		})
	}
}

// TestReferencesToAnotherProtocol plans settings for HTTP requests to a service with the protocol
// tcp, which have no effect.
func TestReferencesToAnotherProtocol(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewEmbeddedRelease(t, kuma.Release{Major: 3})
	config := cp.ConfigWith(`reference_checks = "error"`) +
		"resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n" + fmt.Sprintf(serviceToCheck, `name = "api"`+"\n"+`labels = { "kuma.io/display-name" = "api" }`) + `
resource "kuma_mesh_timeout" "api" {
  mesh = kuma_mesh.shop.name
  name = "api"
  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = "api" }
      }
      default {
        http {
          request_timeout = "1m"
        }
      }
    }
  }
}
`
	out := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + config}).Must(t, "plan")
	if out = strings.Join(strings.Fields(out), " "); !strings.Contains(out, `http has no effect on port 80 of MeshService "api" (tcp)`) || strings.Contains(out, "refer to its block") {
		t.Errorf("the plan has another warning:\n%s", out)
	}
}

// TestReferencesToRoutesOfGateways plans a timeout for a route, which has no effect on a builtin
// gateway, beside one for the mesh, which then has none on its requests either.
func TestReferencesToRoutesOfGateways(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewEmbeddedRelease(t, kuma.Newest2())
	cp.Put(t, testworld.Resources(t, "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}",
		"{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}",
		"{type: MeshGateway, mesh: shop, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP}]}}",
		"{type: MeshHTTPRoute, mesh: shop, name: web, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: web}]}}]}]}}")...)
	config := cp.ConfigWith(`reference_checks = "warning"`) + `
resource "kuma_mesh_timeout" "web" {
  mesh = "shop"
  name = "web"
  spec {
    to {
      target_ref {
        kind = "MeshHTTPRoute"
        name = "web"
      }
      default {
        http {
          request_timeout = "5s"
        }
      }
    }
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          request_timeout = "6s"
        }
      }
    }
  }
}
`
	out := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + config}).Must(t, "plan")
	for _, want := range []string{"has no effect on requests through edge-1", "spec.to[1] of this policy does not apply there, either"} {
		if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(out, "│", "")), " "), want) {
			t.Errorf("%q is missing in the plan:\n%s", want, out)
		}
	}
}

// TestReferencesToWhatThePlanDestroys removes the service of a policy: whether the plan of the
// policy or that of the service comes first, the policy must not be written without a
// destination.
func TestReferencesToWhatThePlanDestroys(t *testing.T) {
	providertest.NeedCLI(t)
	t.Parallel()
	cp := providertest.NewEmbeddedRelease(t, kuma.Release{Major: 3})
	config := cp.ConfigWith(`reference_checks = "error"`) +
		"resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	policy := func(timeout string) string {
		return fmt.Sprintf(`
resource "kuma_mesh_timeout" "api" {
  mesh = kuma_mesh.shop.name
  name = "api"
  spec {
    to {
      target_ref {
        kind   = "MeshService"
        labels = { "kuma.io/display-name" = "api" }
      }
      default {
        idle_timeout = %q
      }
    }
  }
}
`, timeout)
	}
	service := fmt.Sprintf(serviceToCheck, `name = "api"`+"\n"+`labels = { "kuma.io/display-name" = "api" }`)
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: providertest.Factories, Steps: []resource.TestStep{
		{Config: config + service + policy("1m")},
		{Config: config + policy("2m"), PlanOnly: true, ExpectError: providertest.Expression(`Reference to a resource that does not exist .* There is no MeshService with labels kuma\.io/display-name=api, .* A resource that the plan destroys does not count\.`)},
		{Config: config + service + policy("2m")},
		{Config: config + policy("2m"), PlanOnly: true, ExpectError: providertest.Expression(`Reference to a destroyed resource`)}, // of the policy that stays
	}})
}

// TestReferenceToAPlannedBackend checks that a policy may refer to a backend for telemetry of the
// same plan, and to none that does not exist.
func TestReferenceToAPlannedBackend(t *testing.T) {
	providertest.NeedCLI(t)
	t.Parallel()
	cp := providertest.NewEmbeddedRelease(t, kuma.Release{Major: 3})
	config := func(name string) string {
		return cp.ConfigWith(`reference_checks = "error"`) + fmt.Sprintf(`
resource "kuma_mesh" "shop" {
  name = "shop"
}
resource "kuma_mesh_open_telemetry_backend" "collector" {
  mesh   = kuma_mesh.shop.name
  name   = "collector"
  labels = { "kuma.io/display-name" = "collector" }
  spec {
    endpoint {
      port = 4317
    }
  }
}
resource "kuma_mesh_trace" "all" {
  mesh = kuma_mesh.shop.name
  name = "all"
  spec {
    default {
      backends {
        type = "OpenTelemetry"
        open_telemetry {
          backend_ref {
            kind   = "MeshOpenTelemetryBackend"
            labels = { "kuma.io/display-name" = %q }
          }
        }
      }
    }
  }
}
`, name)
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: providertest.Factories, Steps: []resource.TestStep{
		{Config: config("collectr"), PlanOnly: true, ExpectError: providertest.Expression(`There is no MeshOpenTelemetryBackend with labels kuma\.io/display-name=collectr`)},
		{Config: config("collector")},
	}})
}

// TestNoWarningAboutTheStateBesideAnError checks an update that writes nothing and is rejected.
func TestNoWarningAboutTheStateBesideAnError(t *testing.T) {
	t.Parallel()
	embedded := map[string]any{"directory": t.TempDir(), "kuma_version": "3.0"}
	mustSucceed(t, providertest.NewSession(t, "kuma_mesh", map[string]any{"embedded": embedded}).Apply(t, map[string]any{"name": "shop"}, nil))
	metric := func(application map[string]any) map[string]any {
		missing := map[string]any{"kind": "MeshOpenTelemetryBackend", "labels": map[string]any{"app": "none"}}
		backend := map[string]any{"type": "OpenTelemetry", "open_telemetry": map[string]any{"backend_ref": missing}}
		return map[string]any{"mesh": "shop", "name": "a", "spec": map[string]any{"default": map[string]any{"applications": []any{application}, "backends": []any{backend}}}}
	}
	s := providertest.NewSession(t, "kuma_mesh_metric", map[string]any{"embedded": embedded})
	mustSucceed(t, s.Apply(t, metric(map[string]any{"port": 8080}), nil))
	withDefault := metric(map[string]any{"port": 8080, "path": "/metrics"})
	strict := providertest.NewSession(t, "kuma_mesh_metric", map[string]any{"embedded": embedded, "reference_checks": "error"})
	strict.Instance = s.Instance
	if got := said(strict.Apply(t, withDefault, nil)); !strings.Contains(got, "does not exist") || strings.Contains(got, "Update changes only the state") {
		t.Errorf("got %s", got)
	}
}

// TestRouteWithoutARuleForTheRest plans routes of Kuma 3.0, which answers 404 to what no rule
// matches: a warning if no other route for the destination can match it.
func TestRouteWithoutARuleForTheRest(t *testing.T) {
	t.Parallel()
	route := func(name, service, kind, path string) string {
		return fmt.Sprintf(`{type: MeshHTTPRoute, mesh: shop, name: %s, spec: {to: [{targetRef: {kind: MeshService, labels: {app: %s}}, rules: [{matches: [{path: {type: %s, value: %s}}], default: {backendRefs: [{kind: MeshService, labels: {app: %[2]s}, port: 80}]}}]}]}}`, name, service, kind, path)
	}
	service := func(name string) string {
		return fmt.Sprintf("{type: MeshService, mesh: shop, name: %s, labels: {app: %[1]s}, spec: {ports: [{port: 80}]}}", name)
	}
	const said404 = "none of the rules match are answered with 404"
	for name, test := range map[string]struct {
		release        kuma.Release
		checks         string
		others         []string
		document, want string
	}{
		"alone":                         {kuma.Release{Major: 3}, "error", nil, route("a", "api", "PathPrefix", "/v1"), said404},
		"off":                           {kuma.Release{Major: 3}, "off", nil, route("a", "api", "PathPrefix", "/v1"), ""},
		"of Kuma 2.14":                  {kuma.Newest2(), "error", nil, strings.ReplaceAll(route("a", "api", "PathPrefix", "/v1"), "labels: {app: api}", "labels: {app: api}"), ""},
		"with a rule for the rest":      {kuma.Release{Major: 3}, "error", nil, route("a", "api", "PathPrefix", "/"), ""},
		"another route, which may have": {kuma.Release{Major: 3}, "error", []string{route("b", "api", "Exact", "/v2")}, route("a", "api", "PathPrefix", "/v1"), ""},
		"another route of another":      {kuma.Release{Major: 3}, "error", []string{route("b", "web", "PathPrefix", "/v2")}, route("a", "api", "PathPrefix", "/v1"), said404},
		"itself is stored":              {kuma.Release{Major: 3}, "error", []string{route("a", "api", "PathPrefix", "/")}, route("a", "api", "PathPrefix", "/v1"), said404},
		"no destination":                {kuma.Release{Major: 3}, "error", nil, strings.Replace(route("a", "api", "PathPrefix", "/"), "[{kind: MeshService, labels: {app: api}, port: 80}]", "[]", 1), "answered with 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewEmbeddedRelease(t, test.release)
			cp.Put(t, testworld.Resources(t, append([]string{"{type: Mesh, name: shop}", service("api"), service("web")}, test.others...)...)...)
			s := providertest.NewSession(t, "kuma_manifest", map[string]any{"embedded": map[string]any{"directory": cp.Dir, "zone": "zone-1", "kuma_version": test.release.String()}, "reference_checks": test.checks, "existing": "adopt"})
			_, diags := s.Plan(t, map[string]any{"manifest": testworld.Document(t, test.document)})
			if got := said(diags); strings.Contains(got, "ERROR") || !strings.Contains(got, test.want) || test.want == "" && strings.Contains(got, "answered with") {
				t.Errorf("want %q in %s", test.want, got)
			}
		})
	}
}

// TestPlanOfEntryForARoute plans entries for a route of a service that proxies call by its tag or as a
// MeshService, and policies that select the route.
func TestPlanOfEntryForARoute(t *testing.T) {
	t.Parallel()
	timeout := func(spec string) string { return "{type: MeshTimeout, mesh: shop, name: a, spec: {" + spec + "}}" }
	entry := func(kind, name, value string) string {
		return fmt.Sprintf("{targetRef: {kind: %s, name: %s}, default: {http: {requestTimeout: %s}}}", kind, name, value)
	}
	both := timeout("to: [" + entry("MeshService", "api", "5s") + ", " + entry("MeshHTTPRoute", "slow", "15s") + "]")
	top := timeout("targetRef: {kind: MeshHTTPRoute, name: slow}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 15s}}}]")
	const byTag, byReference = "tags: {kuma.io/service: api}", "backendRef: {kind: MeshService, name: api, port: 80}"
	for name, test := range map[string]struct{ outbound, document, want string }{
		"by tag":                 {byTag, both, "Because of it, spec.to[0] of this policy does not apply there, either."},
		"as a MeshService":       {byReference, both, ""},
		"top-level, by tag":      {byTag, top, ""},
		"top-level, MeshService": {byReference, top, "The policy has no effect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewEmbeddedRelease(t, kuma.Newest2())
			cp.Put(t, testworld.Resources(t,
				"{type: Mesh, name: shop}",
				"{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, appProtocol: http}]}}",
				"{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}",
				"{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 9000, "+test.outbound+"}]}}",
				"{type: MeshHTTPRoute, mesh: shop, name: slow, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: Exact, value: /slow}}], default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}}]}]}}",
			)...)
			s := providertest.NewSession(t, "kuma_manifest", map[string]any{"embedded": map[string]any{"directory": cp.Dir, "zone": "zone-1", "kuma_version": "2.14"}, "reference_checks": "error"})
			_, diags := s.Plan(t, map[string]any{"manifest": testworld.Document(t, test.document)})
			if got := said(diags); strings.Contains(got, "ERROR") || !strings.Contains(got, test.want) || test.want == "" && strings.Contains(got, "no effect") {
				t.Errorf("want %q in %s", test.want, got)
			}
		})
	}
}

// perRoute sets a timeout that has no effect on a route.
const perRoute = `
resource "kuma_mesh_timeout" "test" {
  name = "web"
  spec {
    to {
      target_ref {
        kind   = "MeshHTTPRoute"
        labels = { "kuma.io/display-name" = "web" }
      }
      default {
        idle_timeout = "1m"
      }
    }
  }
}
resource "kuma_manifest" "test" {
  manifest = { type = "MeshTimeout", name = "same", spec = { to = [{ targetRef = { kind = "MeshHTTPRoute", labels = { "kuma.io/display-name" = "web" } }, default = { idleTimeout = "1m" } }] } }
}
`

func TestPolicyChecks(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.11"))
	with := func(checks string) string {
		return strings.Replace(cp.Config, "provider \"kuma\" {", "provider \"kuma\" {\n  policy_checks = \""+checks+"\"\n", 1) + perRoute
	}
	planned := resource.ConfigPlanChecks{PostApplyPreRefresh: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("kuma_mesh_timeout.test", plancheck.ResourceActionCreate),
		plancheck.ExpectResourceAction("kuma_manifest.test", plancheck.ResourceActionCreate),
	}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{
			{Config: cp.Config + perRoute, PlanOnly: true, ExpectError: providertest.Expression(`idle_timeout has no effect on a route .* idle_timeout = "1m"`)},
			{Config: cp.Config + perRoute, PlanOnly: true, ExpectError: providertest.Expression(`spec\.to\[0\]\.default\.idleTimeout: Proxies ignore`)},
			{Config: with("of"), PlanOnly: true, ExpectError: providertest.Expression(`Invalid value .* policy_checks = "of" .* Did you mean "off"\?`)},
			{Config: with("warning"), PlanOnly: true, ExpectNonEmptyPlan: true, ConfigPlanChecks: planned},
			{Config: with("off"), PlanOnly: true, ExpectNonEmptyPlan: true, ConfigPlanChecks: planned},
		},
	})
}

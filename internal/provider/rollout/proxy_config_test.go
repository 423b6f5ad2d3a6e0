package rollout_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// configServer is a control plane with the recorded configuration of a proxy.
type configServer struct {
	providertest.OverviewServer
	config string
	status int
}

func (s *configServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/meshes/m/dataplanes/web/_config" {
		s.OverviewServer.ServeHTTP(w, r)
		return
	}
	s.Requests.Add(1)
	w.WriteHeader(s.status)
	_, _ = fmt.Fprint(w, s.config)
}

const readsConfig = `
data "kuma_proxy_config" "web" {
  mesh      = "m"
  dataplane = "web"
  ARGUMENTS
}
`

func TestProxyConfig(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	recorded := testworld.Text(t, testworld.Path("internal", "analysis", "rollout", "testdata", "config", "shadow.json"))
	const failed = `{"type": "/std-errors", "status": 500, "title": "Failed to inspect proxy config", "detail": "Internal Server Error"}`
	for name, c := range map[string]struct {
		arguments string
		status    int
		config    string
		outputs   string
		want      map[string]any
	}{
		"one resource": {
			`type = "Listener"
			 name = "self_inbound_dp_main"`, 200, recorded, `
output "name" { value = jsondecode(data.kuma_proxy_config.web.config).name }
output "names" { value = data.kuma_proxy_config.web.resources }
output "rest" { value = [data.kuma_proxy_config.web.problem, data.kuma_proxy_config.web.summary, data.kuma_proxy_config.web.changes] }`,
			map[string]any{
				"name": "self_inbound_dp_main", "rest": []any{nil, nil, nil},
				"names": map[string]any{"Listener": []any{"self_inbound_dp_main"}, "Cluster": []any{"self_inbound_dp_main"}, "Secret": []any{"system_mtls_ca_m", "system_mtls_identity_m"}},
			},
		},
		"shadow": {
			`shadow = true`, 200, recorded, `
output "changes" { value = data.kuma_proxy_config.web.changes }
output "key" { value = jsondecode(data.kuma_proxy_config.web.config).Secret.system_mtls_identity_m.tlsCertificate.privateKey }`,
			map[string]any{
				"changes": []any{map[string]any{
					"type": "Listener", "name": "self_inbound_dp_main", "before": `"4s"`, "after": `"9s"`,
					"path": "filterChains[0].filters[0].typedConfig.routeConfig.virtualHosts[0].routes[0].route.timeout",
				}},
				"key": "(sensitive value)",
			},
		},
		"shadow, other resources": {
			`shadow = true
			 type   = "Cluster"`, 200, recorded, `
output "count" { value = data.kuma_proxy_config.web.change_count }`,
			map[string]any{"count": 0.0},
		},
		"cannot be generated": {
			"", 500, failed, `
output "problem" { value = data.kuma_proxy_config.web.problem }
output "empty" { value = data.kuma_proxy_config.web.config == null }`,
			map[string]any{"problem": "The control plane cannot generate the configuration, so the proxy gets no changes: Failed to inspect proxy config: Internal Server Error. The log of the control plane says why.", "empty": true},
		},
		"global": {
			"", 405, `{"type": "/std-errors", "status": 405, "title": "Method not allowed"}`, `
output "problem" { value = data.kuma_proxy_config.web.problem }`,
			map[string]any{"problem": "A global control plane generates no configuration. Connect to the control plane of the zone."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := configServer{config: c.config, status: c.status}
			run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + server.Start(t, &server) + strings.Replace(readsConfig, "ARGUMENTS", c.arguments, 1) + c.outputs})
			run.Must(t, "apply", "-auto-approve")
			testworld.Equal(t, "outputs", c.want, run.Outputs(t))
			if n := server.Requests.Load(); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestProxyConfigErrors(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	server := configServer{config: testworld.Text(t, testworld.Path("internal", "analysis", "rollout", "testdata", "config", "shadow.json")), status: 200}
	block := server.Start(t, &server)
	for arguments, want := range map[string]string{
		`type = "Listner"`: `has no resources of type "Listner". Types of its resources: Cluster, Listener and Secret. Did you mean "Listener"?`,
		"type = \"Listener\"\n name = \"self_inbound\"": `has no Listener "self_inbound". It has self_inbound_dp_main.`,
		`name = "a"`: "name requires type",
	} {
		c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + block + strings.Replace(readsConfig, "ARGUMENTS", arguments, 1)})
		if out, code := c.Run(t, "plan"); code == 0 || !strings.Contains(providertest.Unwrapped(out), want) {
			t.Errorf("%s: exit code %d:\n%s", arguments, code, out)
		}
	}
}

// TestProxyConfigWithoutProxy reads the configuration of a Dataplane whose proxy has never
// connected, and of one that does not exist.
func TestProxyConfigWithoutProxy(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"))
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.CheckoutProxy + `
variable "dataplane" { default = "checkout-1" }
data "kuma_proxy_config" "checkout" {
  mesh       = "shop"
  dataplane  = var.dataplane
  depends_on = [kuma_dataplane.checkout]
}
output "problem" { value = data.kuma_proxy_config.checkout.problem }
`})
	c.Must(t, "apply", "-auto-approve")
	if got := c.Outputs(t)["problem"]; got != "The proxy has never connected." {
		t.Errorf("the problem is %v", got)
	}
	if out, code := c.Run(t, "plan", "-var", "dataplane=checkout-2"); code == 0 || !strings.Contains(out, `Mesh "shop" has no Dataplane "checkout-2"`) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	c.Must(t, "destroy", "-auto-approve")
}

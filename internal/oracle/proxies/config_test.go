package proxies_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

var inlineBytes = regexp.MustCompile(`"inlineBytes":"([^"]+)"`)

// TestConfigHasNoKeys shows that the configuration of a proxy that identifies itself by a
// MeshIdentity or by mutual TLS of the mesh contains no private key.
func TestConfigHasNoKeys(t *testing.T) {
	cp := start(t)
	worlds := map[string]string{"MeshIdentity": plainMesh + strings.ReplaceAll(everyone+allowAll, "MESH", "m")}
	if !cp.Info.Release.Kuma3() {
		worlds["mutual TLS of the mesh"] = strings.ReplaceAll(mutual, "MESH", "m")
	}
	for name, world := range worlds {
		resources := store(t, cp, world, dataplane("web", 0))
		connected := connect(t, cp, resources)
		text := ""
		err := oracle.Until(t.Context(), 20*time.Second, time.Second, "the secrets", func(ctx context.Context) (bool, error) {
			answer, err := cp.Client.ProxyConfig(ctx, "m", "web", false)
			text = phrase.JSON(answer)
			return strings.Contains(text, "v3.Secret") && strings.Contains(text, "inlineBytes"), err
		})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, found := range inlineBytes.FindAllStringSubmatch(text, -1) {
			content, err := base64.StdEncoding.DecodeString(found[1])
			if err != nil || strings.Contains(string(content), "PRIVATE KEY") {
				t.Errorf("%s: the configuration contains %q, %v", name, content, err)
			}
		}
		if err := connected["web"].Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestShadowPolicy shows that a shadow policy is not in the configuration, what it would
// change, and that removing the label applies it.
func TestShadowPolicy(t *testing.T) {
	cp := start(t)
	connect(t, cp, store(t, cp, plainMesh, timeout("4s"), dataplane("web", 0)))
	policy := func(labels string) string {
		return "{type: MeshTimeout, mesh: m, name: a, labels: {" + labels + "}, spec: {rules: [{default: {http: {requestTimeout: 9s}}}]}}"
	}
	changes := func(shadow bool, timeouts string) (found []rollout.EnvoyChange) {
		t.Helper()
		text := ""
		err := oracle.Until(t.Context(), 20*time.Second, time.Second/2, "the configuration", func(ctx context.Context) (bool, error) {
			answer, err := cp.Client.ProxyConfig(ctx, "m", "web", shadow)
			if err != nil {
				return false, err
			}
			var config rollout.EnvoyConfig
			config, found = rollout.ReadEnvoyConfig(answer)
			text = fmt.Sprint(regexp.MustCompile(`"timeout":"[^"]+"`).FindAllString(phrase.JSON(config["Listener"]["self_inbound_dp_main"]), -1))
			return text == timeouts, nil
		})
		if err != nil {
			t.Errorf("%v: %s", err, text)
		}
		return found
	}
	store(t, cp, policy("kuma.io/effect: shadow"))
	shadow := changes(true, `["timeout":"9s"]`)
	t.Log(rollout.ChangeSummary("web", shadow))
	if len(shadow) != 1 || shadow[0].Before != "4s" || shadow[0].After != "9s" || shadow[0].Type != "Listener" || shadow[0].Name != "self_inbound_dp_main" {
		t.Errorf("the changes are %+v", shadow)
	}
	changes(false, `["timeout":"4s"]`)
	store(t, cp, policy(""))
	changes(false, `["timeout":"9s"]`)
	if left := changes(true, `["timeout":"9s"]`); len(left) != 0 {
		t.Errorf("after the promotion, %+v are left", left)
	}
}

// patched is a world with a MeshProxyPatch that names the cluster and the virtual host of
// a port by its KRI, as the example of kuma_mesh_proxy_patch.
const patched = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, name: http, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: web, labels: {app: web}, networking: {address: 127.0.0.1,
  inbound: [{port: 9000, tags: {kuma.io/service: web, kuma.io/protocol: http}}],
  outbound: [{port: 11000, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
type: MeshProxyPatch
mesh: m
name: keep-alive
spec:
  targetRef: {kind: Dataplane, labels: {app: web}}
  default:
    appendModifications:
    - cluster: {operation: Patch, match: {name: KRI}, value: 'upstreamConnectionOptions: {tcpKeepalive: {keepaliveTime: 61}}'}
    - cluster: {operation: Patch, match: {name: NAMED}, value: 'upstreamConnectionOptions: {tcpKeepalive: {keepaliveTime: 62}}'}
    - virtualHost:
        operation: Patch
        match: {routeConfigurationName: KRI}
        jsonPatches: [{op: add, path: /retryPolicy, value: {retryOn: 5xx, numRetries: 7}}]
`

// TestPatchByKRI shows that the names of clusters and route configurations are the KRIs of
// ports, if kuma-dp has the features that Kuma 3.0 requires, and that the KRI with the name of
// a port matches nothing.
func TestPatchByKRI(t *testing.T) {
	cp := start(t)
	connect(t, cp, store(t, cp, strings.NewReplacer("KRI", "kri_msvc_m_zone-1__api_80", "NAMED", "kri_msvc_m_zone-1__api_http").Replace(patched)))
	text := ""
	err := oracle.Until(t.Context(), 20*time.Second, time.Second/2, "the patch", func(ctx context.Context) (bool, error) {
		answer, err := cp.Client.ProxyConfig(ctx, "m", "web", false)
		text = phrase.JSON(answer)
		return strings.Contains(text, `"keepaliveTime":61`) && strings.Contains(text, `"numRetries":7`), err
	})
	if err != nil {
		t.Error(err, text)
	}
}

package proxies_test

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

const namedPorts = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, name: http, appProtocol: http}]}}
---
{type: MeshMultiZoneService, mesh: m, name: all, labels: {app: all}, spec: {selector: {meshService: {matchLabels: {app: api}}}, ports: [{port: 80, name: http, appProtocol: http}]}}
---
{type: MeshExternalService, mesh: m, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: 127.0.0.1, port: 7000}]}}
---
{type: Dataplane, mesh: m, name: web, labels: {app: web}, networking: {address: 127.0.0.1,
  inbound: [{port: 9000, tags: {kuma.io/service: web, kuma.io/protocol: http}}],
  outbound: [
    {port: 11000, backendRef: {kind: MeshService, labels: {app: api}, port: 80}},
    {port: 11001, backendRef: {kind: MeshMultiZoneService, labels: {app: all}, port: 80}},
    {port: 11002, backendRef: {kind: MeshExternalService, labels: {app: ext}, port: 80}}]}}
`

var krisInConfig = regexp.MustCompile(`"(kri_[^"]+)"`)

// TestNamesOfPorts shows that every KRI in the configuration of a proxy ends in the number of
// a port, also if the port has a name.
func TestNamesOfPorts(t *testing.T) {
	cp := start(t)
	connect(t, cp, store(t, cp, namedPorts))
	want := []string{"kri_extsvc_m_zone-1__ext_80", "kri_msvc_m_zone-1__api_80", "kri_mzsvc_m___all_80"}
	var names []string
	err := oracle.Until(t.Context(), 20*time.Second, time.Second/2, "the names", func(ctx context.Context) (bool, error) {
		answer, err := cp.Client.ProxyConfig(ctx, "m", "web", false)
		names = nil
		for _, found := range krisInConfig.FindAllStringSubmatch(phrase.JSON(answer), -1) {
			names = append(names, found[1])
		}
		slices.Sort(names)
		names = slices.Compact(names)
		return slices.Equal(names, want), err
	})
	if err != nil {
		t.Error(err, cmp.Diff(want, names))
	}
}

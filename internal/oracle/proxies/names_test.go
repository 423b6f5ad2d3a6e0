package proxies_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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

// portOfName is the port in the server name that a cluster asks a zone egress for.
var portOfName = regexp.MustCompile(`"sni":"sni\.extsvc\.[^"]*\.(\d+)"`)

// anyPort is the port in a server name, behind that of the cluster.
var anyPort = regexp.MustCompile(`:\d+`)

// TestServerNamesOfExternalServices shows which port a proxy of 2.14 asks a zone egress for, with
// clusters for the ports of references: of outbounds, and of routes for services and for services
// by tags (proxies.md §3). On 3.0, which has no tags, it is that of the service.
func TestServerNamesOfExternalServices(t *testing.T) {
	const (
		toHTTP     = "{kind: MeshService, labels: {app: api}, sectionName: '80'}"
		toTCP      = "{kind: MeshService, labels: {app: api}, sectionName: '81'}"
		toOld      = "{kind: MeshService, name: old}"
		toOldTCP   = "{kind: MeshService, name: old-tcp}"
		toExternal = "{kind: MeshExternalService, labels: {app: ext}}"

		callHTTP     = "backendRef: {kind: MeshService, labels: {app: api}, port: 80}"
		callTCP      = "backendRef: {kind: MeshService, labels: {app: api}, port: 81}"
		callOld      = "tags: {kuma.io/service: old}"
		callOldTCP   = "tags: {kuma.io/service: old-tcp}"
		callExternal = "backendRef: {kind: MeshExternalService, labels: {app: ext}, port: 443}"

		old = "---\n{type: Dataplane, mesh: MESH, name: old, labels: {app: old}, networking: {address: 127.0.0.11, inbound: [{port: 9000, tags: {kuma.io/service: old, kuma.io/protocol: http}}, {port: 9001, tags: {kuma.io/service: old-tcp, kuma.io/protocol: tcp}}]}}\n"
	)
	refs := func(ports string) string {
		var all []string
		for port := range strings.FieldsSeq(ports) {
			all = append(all, "{kind: MeshExternalService, labels: {app: ext}, port: "+port+"}")
		}
		return "backendRefs: [" + strings.Join(all, ", ") + "]"
	}
	routes := 0
	route := func(kind, to, rule string) string {
		routes++
		return policy(kind, fmt.Sprintf("r%d", routes), "to: [{targetRef: "+to+", rules: ["+rule+"]}]")
	}
	http := func(to, ports string) string {
		return route("MeshHTTPRoute", to, rule(path("PathPrefix", "/"), refs(ports)))
	}
	tcp := func(to, ports string) string {
		return route("MeshTCPRoute", to, "{default: {"+refs(ports)+"}}")
	}
	cp := start(t)
	for i, tt := range []struct {
		outbounds []string
		routes    string
		want      string // port of the cluster and port in the name
	}{
		{[]string{callHTTP}, http(toHTTP, "443 444"), "443:443 444:443"},
		{[]string{callHTTP}, http(toHTTP, "444 443"), "443:444 444:444"},
		{[]string{callHTTP}, route("MeshHTTPRoute", toHTTP, rule(path("Exact", "/longer"), refs("443"))+", "+rule(path("Exact", "/")+", method: POST", refs("444"))), "443:444 444:444"},
		{[]string{callTCP}, tcp(toTCP, "444 443"), "443:444 444:444"},
		{[]string{callExternal, callHTTP}, http(toHTTP, "444"), "443:443 444:443"},
		{[]string{callHTTP, callTCP, callExternal}, http(toHTTP, "444") + tcp(toTCP, "445 443"), "443:445 444:444 445:445"},
		{[]string{callTCP, callHTTP, callExternal}, http(toHTTP, "443") + tcp(toTCP, "444"), "443:443 444:444"},
		{[]string{callExternal, callTCP, callHTTP}, http(toHTTP, "444") + tcp(toTCP, "444"), "443:443 444:444"},
		{[]string{callExternal, callHTTP}, tcp(toExternal, "445") + http(toHTTP, "444"), "443:443 444:443 445:445"},
		{[]string{callExternal, callHTTP}, http(toExternal, "445") + http(toHTTP, "444"), "444:445 445:445"},
		{[]string{callTCP, callHTTP}, http(toTCP, "444") + http(toHTTP, "443"), "443:444 444:444"},
		{[]string{callTCP}, http(toTCP, "444") + tcp(toTCP, "443"), "443:443 444:444"},
		{[]string{callHTTP}, http(toHTTP, "443") + tcp(toHTTP, "444"), "443:443"},
		{[]string{callOld, callHTTP}, http(toOld, "444") + http(toHTTP, "443"), "443:444 444:444"},
		{[]string{callHTTP, callOld}, http(toOld, "444") + http(toHTTP, "443"), "443:443 444:443"},
		{[]string{callOld, callExternal}, http(toOld, "444"), "443:444 444:444"},
		{[]string{callOldTCP, callTCP}, tcp(toOldTCP, "444") + tcp(toTCP, "443"), "443:444 444:444"},
		{[]string{callOldTCP, callHTTP}, http(toOldTCP, "444") + http(toHTTP, "443"), "443:444 444:444"},
		{[]string{callOldTCP, callHTTP}, http(toOldTCP, "444") + tcp(toOldTCP, "445") + http(toHTTP, "443"), "443:444 444:444 445:445"},
	} {
		if cp.Info.Release.Kuma3() && strings.Contains(tt.routes, toOld[:len(toOld)-1]) {
			continue
		}
		mesh := fmt.Sprintf("m%d", i)
		t.Run(mesh, func(t *testing.T) {
			t.Parallel()
			var outbounds []string
			for j, o := range tt.outbounds {
				outbounds = append(outbounds, fmt.Sprintf("{port: %d, %s}", 11000+j, o))
			}
			documents := base() + zoneEgress + everyone + old + tt.routes + fmt.Sprintf("---\n{type: Dataplane, mesh: MESH, name: client, labels: {app: client}, networking: {address: 127.0.0.10, inbound: [{port: 9000, tags: {kuma.io/service: client}}], outbound: [%s]}}\n", strings.Join(outbounds, ", "))
			connect(t, cp, store(t, cp, strings.ReplaceAll(documents, "MESH", mesh)))
			want := tt.want
			if cp.Info.Release.Kuma3() {
				want = anyPort.ReplaceAllString(want, ":443")
			}
			var got string
			err := oracle.Until(t.Context(), time.Minute, time.Second, "the names", func(ctx context.Context) (bool, error) {
				answer, err := cp.Client.ProxyConfig(ctx, mesh, "client", false)
				clusters := tree.Object(tree.Object(tree.Object(answer)["xds"])["type.googleapis.com/envoy.config.cluster.v3.Cluster"])
				var names []string
				for _, name := range slices.Sorted(maps.Keys(clusters)) {
					if found := portOfName.FindStringSubmatch(phrase.JSON(clusters[name])); found != nil {
						names = append(names, name[strings.LastIndex(name, "_")+1:]+":"+found[1])
					}
				}
				got = strings.Join(names, " ")
				return got == want, err
			})
			if err != nil {
				t.Errorf("%s, want %s: %v", got, want, err)
			}
		})
	}
}

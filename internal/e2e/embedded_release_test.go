package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// writesOfKuma3 are documents, by path below the mesh "shop". All of them have an answer
// that was measured (release3.md §2, §3, §4): the stated ones differ from a development
// build. The control plane generates a MeshService "web".
var writesOfKuma3 = []struct{ path, document string }{
	{"", "{type: Mesh, name: shop, labels: {team: a}}"},
	{"", "{type: Mesh, name: shop, labels: {kuma.io/zone: other}}"},
	{"", "{type: Mesh, name: other}"},
	{"/dataplanes/web-1", "{labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http, tags: {kuma.io/service: web}}]}}"},
	{"/dataplanes/web-1", "{labels: {app: web, kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, name: http}], outbound: [{port: 81, backendRef: {kind: MeshService, labels: {a: b}, port: 80}}]}}"},
	{"/dataplanes/web-1", "{labels: {kuma.io/mesh: other}, networking: {address: 10.0.0.1}}"},
	{"/dataplanes/web-2", "{networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: kafka}]}}"},
	{"/dataplanes/web-2", "{networking: {address: 10.0.0.1, outbound: [{port: 81, backendRef: {kind: MeshService, name: b, port: 0}}]}}"},
	{"/dataplanes/web-2", "{networking: {address: 10.0.0.1, inbound: [{port: 80, name: a}], listeners: [{type: ZoneEgress, address: 10.0.0.1, port: 81, name: a}]}}"},
	{"/dataplanes/egress", "{networking: {address: 10.0.0.1, listeners: [{type: ZoneEgress, address: 10.0.0.1, port: 10002, name: egress}]}}"},
	{"/dataplanes/a.b", "{networking: {address: 10.0.0.1}}"},
	{"/meshservices/a.b", "{spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80}]}}"},
	{"/meshservices/api", "{spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, name: http, appProtocol: http}]}}"},
	{"/meshservices/api", "{spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, appProtocol: kafka}]}}"},
	{"/meshservices/none", "{spec: {ports: [{port: 80}]}}"},
	{"/meshmultizoneservices/web", "{spec: {selector: {meshService: {matchLabels: {app: web}}}, ports: [{port: 80, appProtocol: http}]}}"},
	{"/meshexternalservices/1a", "{spec: {match: {type: HostnameGenerator, port: 80}, endpoints: [{address: a.example.com, port: 80}]}}"},
	{"/meshexternalservices/pay", "{spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}, endpoints: [{address: a.example.com, port: 443}], tls: {enabled: true, verification: {caCert: {type: Secret, secretRef: {kind: Secret, name: ca}}}}}}"},
	{"/meshtimeouts/slow", "{spec: {targetRef: {kind: Dataplane, labels: {app: web}}, to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, default: {connectionTimeout: 3s}}]}}"},
	{"/meshtimeouts/slow", "{spec: {targetRef: {kind: MeshSubset}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 3s}}]}}"},
	{"/meshtimeouts/slow", "{labels: {kuma.io/policy-role: producer}, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 3s}}]}}"},
	{"/meshtimeouts/slow", "{labels: {kuma.io/zone: other}, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 3s}}]}}"},
	{"/meshidentities/id", "{spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {path: \"/workload/{{ .Workload }}\"}, provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true}}}}"},
	{"/meshtrafficpermissions/web", "{spec: {targetRef: {kind: Dataplane, labels: {app: web}}, rules: [{default: {allow: [{spiffeID: {type: Exact, value: \"spiffe://shop.zone-1.mesh.local/workload/api\"}}]}}]}}"},
	{"/meshhttproutes/web", "{spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: web}, port: 80}]}}]}]}}"},
	{"/meshzoneaddresses/zone-1", "{spec: {address: 10.0.0.9, port: 10001}}"},
	{"/meshgateways/edge", "{conf: {}}"},
	{"/zoneegresses/edge", "{networking: {}}"},
	{"/secrets/ca", "{data: aGVsbG8=}"},
	{"/workloads/Web", "{spec: {}}"},
}

// TestEmbeddedControlPlaneAnswersAsKuma3 sends the same writes and reads to a real
// control plane of Kuma 3.0 and to an embedded one. Texts are our own, times differ.
func TestEmbeddedControlPlaneAnswersAsKuma3(t *testing.T) {
	t.Parallel()
	if providertest.RealEndpoint == "" {
		t.Skip("needs a real control plane")
	}
	clients := bothOfKuma3(t)
	for _, write := range writesOfKuma3 {
		path := "/meshes/shop" + write.path
		document, err := json.Marshal(envelope(t, write.path, write.document))
		testworld.NoError(t, err)
		for _, method := range []string{http.MethodPut, http.MethodGet} {
			want, got := exchange(t, clients[0], method, path, document), exchange(t, clients[1], method, path, document)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s %s (-real +embedded):\n%s", method, path, document, diff)
			}
		}
	}
}

// TestEmbeddedControlPlaneListsKindsAsKuma3 compares the writable kinds.
func TestEmbeddedControlPlaneListsKindsAsKuma3(t *testing.T) {
	t.Parallel()
	if providertest.RealEndpoint == "" {
		t.Skip("needs a real control plane")
	}
	var listed [2]map[string]any
	for i, client := range bothOfKuma3(t) {
		_, text := request(t, client, http.MethodGet, "/_resources", nil)
		var answer struct{ Resources []map[string]any }
		testworld.NoError(t, json.Unmarshal(text, &answer))
		listed[i] = map[string]any{}
		for _, r := range answer.Resources {
			delete(r, "singularDisplayName")
			delete(r, "pluralDisplayName")
			if r["readOnly"] == false {
				listed[i][fmt.Sprint(r["name"])] = r
			}
		}
	}
	if diff := cmp.Diff(listed[0], listed[1]); diff != "" {
		t.Errorf("kinds (-real +embedded):\n%s", diff)
	}
}

// bothOfKuma3 returns clients of the real control plane, and of an embedded one with the
// same zone. It skips the test if the real one is not a zone of Kuma 3.0.
func bothOfKuma3(t *testing.T) []*http.Client {
	t.Helper()
	cp := providertest.NewControlPlane(t, func(cp providertest.ControlPlane) string {
		if cp.ControlPlane.Release.Kuma3() && cp.ControlPlane.Mode == kuma.ModeZone {
			return ""
		}
		return "needs a zone control plane of Kuma 3.0"
	})
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: cp.ControlPlane.Zone, Release: kuma.ParseRelease("3.0")})
	testworld.NoError(t, err)
	return []*http.Client{http.DefaultClient, {Transport: server.Transport()}}
}

// envelope returns a document with the type, mesh and name of its path.
func envelope(t *testing.T, path, text string) map[string]any {
	t.Helper()
	document := testworld.Document(t, text)
	for _, k := range kinds.All() {
		if name, ok := strings.CutPrefix(path, "/"+k.Path+"/"); ok {
			document["type"], document["mesh"], document["name"] = k.Name, "shop", name
		}
	}
	return document
}

// request returns the status and the body of an answer.
func request(t *testing.T, client *http.Client, method, path string, body []byte) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, providertest.RealEndpoint+path, bytes.NewReader(body))
	testworld.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	if providertest.RealToken != "" {
		r.Header.Set("Authorization", "Bearer "+providertest.RealToken)
	}
	resp, err := client.Do(r)
	testworld.NoError(t, err)
	defer resp.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(resp.Body)
	testworld.NoError(t, err)
	return resp.StatusCode, text
}

// exchange returns the essence of an answer: the status and the document without what
// changes by itself, or the title and fields of an error.
func exchange(t *testing.T, client *http.Client, method, path string, body []byte) map[string]any {
	t.Helper()
	status, text := request(t, client, method, path, body)
	essence := map[string]any{"status": status}
	answer := map[string]any{}
	if json.Unmarshal(text, &answer) != nil {
		essence["text"] = string(text)
		return essence
	}
	violations, _ := answer["invalid_parameters"].([]any)
	fields := map[string]bool{}
	for _, v := range violations {
		violation, _ := v.(map[string]any)
		fields[fmt.Sprint(violation["field"])] = true
	}
	essence["fields"], essence["warns"] = slices.Sorted(maps.Keys(fields)), answer["warnings"] != nil
	if spec, ok := answer["spec"].(map[string]any); ok { // written within seconds
		delete(spec, "state")
		delete(spec, "identities")
	}
	for _, name := range []string{"title", "type", "mesh", "name", "labels", "kri", "spec", "networking", "data"} {
		essence[name] = answer[name]
	}
	return essence
}

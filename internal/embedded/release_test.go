package embedded_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var release3 = kuma.Release{Major: 3}

// newServer3 returns a control plane of Kuma 3.0 on a new directory, with the mesh
// "default".
func newServer3(t *testing.T) *embedded.Server {
	t.Helper()
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: release3})
	testworld.NoError(t, err)
	put(t, s, `{"type":"Mesh","name":"default"}`)
	return s
}

// TestVersion checks that a control plane reports the release that it follows.
func TestVersion(t *testing.T) {
	t.Parallel()
	for want, release := range map[string]kuma.Release{"2.14.3-embedded": {Major: 2, Minor: 14}, "3.0.1-embedded": release3} {
		s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: release})
		testworld.NoError(t, err)
		testworld.Equal(t, fmt.Sprintf("%s: version", release), want, read(t, s, "/")["version"])
	}
}

// TestKindsOfKuma3 checks that the kinds that Kuma 3.0 removed are neither listed nor
// served, and that no policy has `from` (release3.md §1).
func TestKindsOfKuma3(t *testing.T) {
	t.Parallel()
	s := newServer3(t)
	_, body := send(t, s, http.MethodGet, "/_resources", nil, nil)
	var listed struct {
		Resources []struct {
			Name   string
			Policy map[string]bool
		}
	}
	decode(t, body, &listed)
	var names []string
	for _, r := range listed.Resources {
		names = append(names, r.Name)
		if r.Policy["hasFromTargetRef"] || r.Policy["isFromAsRules"] {
			t.Errorf("%s has from: %v", r.Name, r.Policy)
		}
	}
	for _, k := range kinds.All() {
		removed := slices.Contains([]string{"MeshGateway", "ZoneEgress", "ZoneIngress"}, k.Name)
		if slices.Contains(names, k.Name) == removed {
			t.Errorf("%s is listed: %t", k.Name, !removed)
		}
		status, body := send(t, s, http.MethodGet, "/"+k.Path, nil, nil)
		if gone := status == http.StatusNotFound && string(body) == "404: Page Not Found"; gone != removed {
			t.Errorf("GET /%s: status %d\n%s", k.Path, status, body)
		}
	}
}

// TestNewMeshOfKuma3 checks that a new mesh has no policies (release3.md §2).
func TestNewMeshOfKuma3(t *testing.T) {
	t.Parallel()
	s := newServer3(t)
	for _, k := range kinds.Policies() {
		if total := read(t, s, "/"+k.Path)["total"]; total != 0.0 {
			t.Errorf("%s: %v policies", k.Name, total)
		}
	}
}

// TestStoredByKuma3 checks what is stored: the labels, and no fields that Kuma 3.0
// removed from older kinds, which it drops silently (release3.md §2, §3).
func TestStoredByKuma3(t *testing.T) {
	t.Parallel()
	labels := func(name string) map[string]any {
		return map[string]any{"kuma.io/display-name": name, "kuma.io/env": "universal", "kuma.io/mesh": "default", "kuma.io/origin": "zone", "kuma.io/zone": "zone-1"}
	}
	for path, test := range map[string]struct {
		sent string
		want map[string]any
	}{
		"/meshes/shop": {
			`{"type":"Mesh","name":"shop","mtls":{"enabledBackend":5},"skipCreatingInitialPolicies":["*"],"constraints":{},"other":1,"meshServices":{"mode":"Exclusive"}}`,
			map[string]any{"type": "Mesh", "name": "shop", "kri": "kri_m____shop_", "labels": map[string]any{"kuma.io/display-name": "shop", "kuma.io/origin": "zone"}, "meshServices": map[string]any{"mode": "Exclusive"}},
		},
		"/meshes/default/dataplanes/web-1": {
			`{"type":"Dataplane","mesh":"default","name":"web-1","labels":{"app":"web"},"networking":{"address":"10.0.0.1","gateway":{"type":"DELEGATED"},"inbound":[{"port":80,"protocol":"http","tags":{"kuma.io/service":"web"}}]}}`,
			map[string]any{
				"type": "Dataplane", "mesh": "default", "name": "web-1", "kri": "kri_dp_default_zone-1__web-1_",
				"labels":     merged(labels("web-1"), "app", "web"),
				"networking": map[string]any{"address": "10.0.0.1", "inbound": []any{map[string]any{"port": 80.0, "protocol": "http"}}},
			},
		},
		"/meshes/default/meshtimeouts/slow": {
			`{"type":"MeshTimeout","mesh":"default","name":"slow","spec":{"targetRef":{"kind":"Dataplane","labels":{"app":"web"}},"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"60s"}}]}}`,
			map[string]any{
				"type": "MeshTimeout", "mesh": "default", "name": "slow", "kri": "kri_mt_default_zone-1__slow_", "labels": labels("slow"),
				"spec": map[string]any{
					"targetRef": map[string]any{"kind": "Dataplane", "labels": map[string]any{"app": "web"}},
					"to":        []any{map[string]any{"targetRef": map[string]any{"kind": "Mesh"}, "default": map[string]any{"idleTimeout": "1m0s"}}},
				},
			},
		},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := newServer3(t)
			put(t, s, test.sent)
			if diff := gocmp.Diff(test.want, document(read(t, s, path))); diff != "" {
				t.Errorf("GET %s (-want +got):\n%s", path, diff)
			}
		})
	}
}

func merged(m map[string]any, key string, value any) map[string]any {
	m[key] = value
	return m
}

// TestRejectedByKuma3 checks which writes are rejected, with the fields and a part of
// the reason (release3.md §2, §3).
func TestRejectedByKuma3(t *testing.T) {
	t.Parallel()
	s := newServer3(t)
	timeout := func(spec string) string {
		return `{"type":"MeshTimeout","mesh":"default","name":"a","spec":` + spec + `}`
	}
	identity := func(path string) string {
		return `{"type":"MeshIdentity","mesh":"default","name":"id","spec":{"spiffeID":{"path":"` + path + `"},"provider":{"type":"Spire","spire":{}}}}`
	}
	put(t, s, identity("/a"))
	const timeouts, dataplanes = "/meshes/default/meshtimeouts/a", "/meshes/default/dataplanes/a"
	for name, test := range map[string]struct {
		path, body string
		fields     []string
		reason     string
	}{
		"unknown fields of a policy": {
			timeouts, timeout(`{"too":[],"to":[{"targetRef":{"kind":"Mesh","nme":"a"},"default":{"idleTimeout":"1s"}}]}`),
			[]string{"spec.to[0].targetRef.nme", "spec.too"},
			"unknown field",
		},
		"removed field of a policy": {
			timeouts, timeout(`{"from":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}}]}`),
			[]string{"spec.from"},
			`Kuma 3.0 removed \"from\"`,
		},
		"removed kind of a reference": {
			timeouts, timeout(`{"targetRef":{"kind":"MeshSubset"},"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"1s"}}]}`),
			[]string{"spec.targetRef.kind"},
			"MeshSubset",
		},
		"mode of a mesh": {
			"/meshes/a", `{"type":"Mesh","name":"a","meshServices":{"mode":"Everywhere"}}`,
			[]string{"meshServices.mode"},
			"Kuma 3.0 removed",
		},
		"outbound by tags": {
			dataplanes, `{"type":"Dataplane","mesh":"default","name":"a","networking":{"address":"10.0.0.1","outbound":[{"port":80,"tags":{"kuma.io/service":"web"}}]}}`,
			[]string{"networking.outbound[0].backendRef"},
			"required since Kuma 3.0",
		},
		"destination without labels": {
			timeouts, timeout(`{"to":[{"targetRef":{"kind":"MeshService"},"default":{"idleTimeout":"1s"}}]}`),
			[]string{"spec.to[0].targetRef.labels"},
			"must set labels",
		},
		"permission without a condition": {
			"/meshes/default/meshtrafficpermissions/a", `{"type":"MeshTrafficPermission","mesh":"default","name":"a","spec":{"rules":[{"default":{"allow":[{}]}}]}}`,
			[]string{"spec.rules[0].default.allow[0]"},
			"At least one of spiffeID or sni",
		},
		"changed SPIFFE ID": {
			"/meshes/default/meshidentities/id", identity("/b"),
			[]string{"spec.spiffeID"},
			"cannot be changed",
		},
		"reserved label": {
			dataplanes, `{"type":"Dataplane","mesh":"default","name":"a","labels":{"kuma.io/service":"web"},"networking":{"address":"10.0.0.1"}}`,
			[]string{`labels["kuma.io/service"]`},
			"does not know the label",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := send(t, s, http.MethodPut, test.path, asJSON, []byte(test.body))
			if status != http.StatusBadRequest || !strings.Contains(string(body), test.reason) {
				t.Errorf("status %d, want 400 and %q\n%s", status, test.reason, body)
			}
			failure := map[string]any{}
			decode(t, body, &failure)
			if diff := gocmp.Diff(test.fields, fields(failure)); diff != "" {
				t.Errorf("fields (-want +got):\n%s\n%s", diff, body)
			}
		})
	}
}

// TestWarningsOfKuma3 checks which accepted writes have a warning (release3.md §2).
func TestWarningsOfKuma3(t *testing.T) {
	t.Parallel()
	s := newServer3(t)
	service := func(spec string) string {
		return `{"type":"MeshService","mesh":"default","name":"a","spec":` + spec + `}`
	}
	const services = "/meshes/default/meshservices/a"
	for _, test := range []struct {
		path, body string
		warns      bool
	}{
		{services, service(`{"ports":[{"port":80}]}`), true},
		{services, service(`{"selector":{},"ports":[{"port":80}]}`), true},
		{services, service(`{"selector":{"dataplaneLabels":{}},"ports":[{"port":80}]}`), false},
		{services, service(`{"selector":{"dataplaneRef":{"name":"web-1"}},"ports":[{"port":80}]}`), false},
		{"/meshes/shop", `{"type":"Mesh","name":"shop","meshServices":{"mode":"Exclusive"}}`, false},
		{"/meshes/shop", `{"type":"Mesh","name":"shop"}`, false},
	} {
		status, body := send(t, s, http.MethodPut, test.path, asJSON, []byte(test.body))
		if warns := strings.Contains(string(body), "warnings"); warns != test.warns || status > http.StatusCreated {
			t.Errorf("PUT %s: status %d, warns %t, want %t\n%s", test.body, status, warns, test.warns, body)
		}
	}
}

// TestTokensOfKuma3 checks that a zone token needs no scope, and that there are no
// tokens of zone proxies.
func TestTokensOfKuma3(t *testing.T) {
	t.Parallel()
	s := newServer3(t)
	for _, test := range []struct {
		path, body string
		status     int
	}{
		{"/tokens/zone", `{"zone":"east"}`, http.StatusOK},
		{"/tokens/dataplane", `{"mesh":"default","type":"dataplane"}`, http.StatusOK},
		{"/tokens/dataplane", `{"mesh":"default","type":"ingress"}`, http.StatusBadRequest},
		{"/tokens/dataplane", `{"mesh":"default","type":"egress"}`, http.StatusBadRequest},
	} {
		wantStatus(t, test.status, s, http.MethodPost, test.path, asJSON, []byte(test.body))
	}
}

// knownOfKuma3 are the recorded writes that are answered differently, with the reason.
var knownOfKuma3 = map[string]string{
	"03-malformed/unknown-field-spec-policy":             "stated: Kuma 3.0 rejects unknown fields",
	"05-labels-zone/hostnamegenerator-origin-global-put": "stated: a zone of Kuma 3.0 rejects the origin of the global control plane",
	"04-names-and-sizes/name-253":                        "the name is too long for a file",
}

// TestRecordedWritesOfKuma3 compares statuses with those that were recorded from a
// development build of Kuma 3.0. Each resource is new, as in the recording.
func TestRecordedWritesOfKuma3(t *testing.T) {
	t.Parallel()
	s := newServer3(t)
	meshes := map[string]bool{}
	for _, write := range testworld.JSONObjects(t, testworld.Text(t, "../kinds/testdata/3.0/writes.json")) {
		doc, _ := write["put"].(map[string]any)
		k, _ := kinds.Find(doc["type"].(string))
		path := "/" + k.Path + "/" + doc["name"].(string)
		if k.Scope == def.InMesh {
			mesh := cmp.Or(tree.Text(doc["mesh"]), kuma.DefaultMesh)
			if !meshes[mesh] {
				put(t, s, `{"type":"Mesh","name":"`+mesh+`"}`)
				meshes[mesh] = true
			}
			path = "/meshes/" + mesh + path
		}
		body, err := tree.EncodeJSON(doc)
		testworld.NoError(t, err)
		status, answer := send(t, s, http.MethodPut, path, asJSON, []byte(body))
		if want := fmt.Sprint(write["status"]); (fmt.Sprint(status) != want) != (knownOfKuma3[write["name"].(string)] != "") {
			t.Errorf("%s: status %d, want %s\n%s\n%s", write["name"], status, want, body, answer)
		}
		send(t, s, http.MethodDelete, path, nil, nil)
	}
}

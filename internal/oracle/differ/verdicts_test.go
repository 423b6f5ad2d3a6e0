package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestEqualVerdicts checks that there are no differences from the embedded
// control plane, which validates with the same declarations.
func TestEqualVerdicts(t *testing.T) {
	t.Parallel()
	s := fakeSite(t, func(map[string]any) {})
	found, err := compareVerdicts(t.Context(), s, settings{verdicts: 60, seed: 1})
	if err != nil || found.Compared == "0 documents" || found.Different > 0 {
		t.Errorf("compareVerdicts = %+v, %v", found, err)
	}
}

// TestPlantedVerdict checks that a control plane that accepts all documents is detected.
func TestPlantedVerdict(t *testing.T) {
	t.Parallel()
	store, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()})
	testworld.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/meshtimeouts/") {
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte("{}"))
			return
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s, err := oracle.Connect(t.Context(), server.URL)
	testworld.NoError(t, err)
	if _, err := s.Put(t.Context(), testworld.Resources(t, smallWorld)[0]); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ document, want string }{
		"as we say": {`
type: MeshRetry
mesh: m
name: a
spec: {to: []}
`, ""},
		"taken by it": {`
type: MeshTimeout
mesh: m
name: a
spec:
  to:
    - {targetRef: {kind: Mesh}, default: {}}
`, "only our checks reject: MeshTimeout spec.to[].default"},
		"taken by both": {`
type: MeshTimeout
mesh: m
name: a
spec:
  to:
    - targetRef: {kind: Mesh}
      default: {idleTimeout: 1s}
`, ""},
		"rejected by all": {`
type: MeshTrace
mesh: m
name: a
spec: {default: {}}
`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range testworld.Resources(t, tt.document) {
				what, _, err := verdictsOf(t.Context(), s, r)
				if err != nil || what != tt.want {
					t.Errorf("got %q, %v; want %q", what, err, tt.want)
				}
			}
		})
	}
}

// TestJudged checks that documents with values that a control plane does not read, or
// reads elsewhere, are not compared.
func TestJudged(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]bool{
		`{type: Dataplane, mesh: m, name: a, metrics: {type: prometheus, conf: {port: 80}}, networking: {address: a}}`:            true,
		`{type: Dataplane, mesh: m, name: a, metrics: {type: prometheus, conf: {port: []}}, networking: {address: a}}`:            false,
		`{type: Dataplane, mesh: m, name: a, metrics: {}, networking: {address: a}}`:                                              true,
		`{type: Dataplane, mesh: m, name: a, metrics: {}, networking: {address: a, gateway: {}}}`:                                 false,
		`{type: Dataplane, mesh: m, name: a, networking: {address: [], gateway: {}}}`:                                             true,
		`{type: Mesh, name: m, mtls: {backends: [{name: a, type: provided, conf: {cert: {file: /a}}}]}}`:                          false,
		`{type: Mesh, name: m, mtls: {skipValidation: true, backends: [{name: a, type: provided, conf: {cert: {file: /a}}}]}}`:    true,
		`{type: Mesh, name: m, mtls: {backends: [{name: a, type: provided, conf: {cert: {secret: a}, key: {inlineString: a}}}]}}`: true,
	} {
		r := testworld.Resources(t, document)[0]
		k, _ := kinds.Find(r.Type)
		if got := judged(k, r, kuma.Release{}); got != want {
			t.Errorf("%s: judged %t, want %t", document, got, want)
		}
	}
}

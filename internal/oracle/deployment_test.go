package oracle_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRejectedMesh checks that nothing is written for a mesh that is rejected, and
// that a rejected policy does not keep the others from being stored.
func TestRejectedMesh(t *testing.T) {
	t.Parallel()
	store, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()})
	testworld.NoError(t, err)
	var mu sync.Mutex
	var written []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			mu.Lock()
			written = append(written, strings.TrimPrefix(r.URL.Path, "/meshes/"))
			mu.Unlock()
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s, err := oracle.Connect(t.Context(), server.URL)
	testworld.NoError(t, err)
	d := &oracle.Deployment{Sites: []*oracle.Site{s}}
	rejected, err := d.Store(t.Context(), d.Writes(testworld.Resources(t, `
type: Mesh
name: bad
mtls: {enabledBackend: missing}
---
type: Mesh
name: good
---
type: MeshTimeout
mesh: bad
name: unwritten
spec: {}
---
type: MeshTimeout
mesh: good
name: invalid
spec: {targetRef: {kind: Nothing}}
---
type: MeshTimeout
mesh: good
name: valid
spec:
  to:
    - targetRef: {kind: Mesh}
      default: {idleTimeout: 1s}
`)))
	testworld.NoError(t, err)
	var names []string
	for _, r := range rejected {
		if r.Reason == "" {
			t.Errorf("%s is rejected without a reason", r.Resource.Key())
		}
		names = append(names, r.Resource.Name)
	}
	slices.Sort(names)
	slices.Sort(written)
	testworld.Equal(t, "rejected", []string{"bad", "invalid"}, names)
	testworld.Equal(t, "written", []string{"bad", "good", "good/meshtimeouts/invalid", "good/meshtimeouts/valid"}, written)
	stored, err := s.Stored(t.Context(), "good")
	testworld.NoError(t, err)
	if i := slices.IndexFunc(stored, func(r kuma.Resource) bool { return r.Name == "valid" }); i < 1 || stored[0].Type != kuma.KindMesh {
		t.Errorf("stored: %v", stored)
	}
	if _, err := s.Stored(t.Context(), "bad"); err == nil {
		t.Error("the rejected mesh is stored")
	}
}

// TestConflictIsRepeated has a control plane that generates a MeshService while it is written.
func TestConflictIsRepeated(t *testing.T) {
	t.Parallel()
	store, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()})
	testworld.NoError(t, err)
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conflict := false
		if r.Method == http.MethodPut {
			once.Do(func() { conflict = true })
		}
		if conflict {
			http.Error(w, `{"status": 409, "title": "Conflict", "detail": "resource already exists"}`, http.StatusConflict)
			return
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s, err := oracle.Connect(t.Context(), server.URL)
	testworld.NoError(t, err)
	rejection, err := s.Put(t.Context(), testworld.Resources(t, "{type: Mesh, name: m}")[0])
	testworld.Equal(t, "rejection", "", rejection)
	testworld.NoError(t, err)
}

package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// lacksPath reports whether a path belongs to a kind that the control plane lacks.
func (o *OtherRelease) lacksPath(path string) bool {
	return slices.ContainsFunc(o.Lacks, func(name string) bool {
		k, _ := kinds.Find(name)
		return slices.Contains(strings.Split(path, "/"), k.Path)
	})
}

// OtherRelease is a control plane that reports another version, lacks some
// kinds, and has one that the provider does not describe: an ExternalService,
// which it stores with the label that rest-api.md §20 shows.
type OtherRelease struct {
	*embedded.Server
	Version string
	Lacks   []string
	Config  string // instead of its own

	Mutex  sync.Mutex
	Legacy map[string]map[string]any
}

func (o *OtherRelease) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/":
		_, _ = fmt.Fprintf(w, `{"product": "Kuma", "version": %q}`, o.Version)
	case r.URL.Path == "/config" && o.Config != "":
		_, _ = io.WriteString(w, o.Config)
	case r.URL.Path == "/_resources":
		o.kinds(w, r)
	case strings.HasSuffix(r.URL.Path, "/external-services"):
		o.externals(w, r)
	case strings.Contains(r.URL.Path, "/external-services/"):
		o.external(w, r)
	case o.lacksPath(r.URL.Path):
		http.Error(w, "404: Page Not Found", http.StatusNotFound)
	default:
		o.Server.ServeHTTP(w, r)
	}
}

// Start starts the control plane, and returns the provider block for it.
func (o *OtherRelease) Start(t *testing.T) string {
	t.Helper()
	o.Server, o.Legacy = newServer(t, t.TempDir(), kuma.Newest2()), map[string]map[string]any{}
	return listen(t, o)
}

func (o *OtherRelease) external(w http.ResponseWriter, r *http.Request) {
	o.Mutex.Lock()
	defer o.Mutex.Unlock()
	doc, ok := o.Legacy[r.URL.Path]
	switch {
	case r.Method == http.MethodPut:
		doc = map[string]any{}
		_ = json.NewDecoder(r.Body).Decode(&doc)
		labels, _ := doc["labels"].(map[string]any)
		if labels == nil {
			labels = map[string]any{}
		}
		labels["kuma.io/mesh"] = doc["mesh"]
		doc["labels"] = labels
		o.Legacy[r.URL.Path] = doc
		if !ok {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, "{}")
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"type":"/std-errors","status":404,"title":"Could not retrieve a resource","detail":"Not found"}`)
	case r.Method == http.MethodDelete:
		delete(o.Legacy, r.URL.Path)
		_, _ = io.WriteString(w, "{}")
	default:
		_ = json.NewEncoder(w).Encode(doc)
	}
}

// externals answers with the list of all in a mesh.
func (o *OtherRelease) externals(w http.ResponseWriter, r *http.Request) {
	o.Mutex.Lock()
	defer o.Mutex.Unlock()
	items := []map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(o.Legacy)) {
		if strings.HasPrefix(path, r.URL.Path+"/") {
			items = append(items, o.Legacy[path])
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"total": len(items), "items": items, "next": nil})
}

func (o *OtherRelease) kinds(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	o.Server.ServeHTTP(answer, r)
	var all struct {
		Resources []map[string]any `json:"resources"`
	}
	_ = json.Unmarshal(answer.Body.Bytes(), &all)
	all.Resources = slices.DeleteFunc(all.Resources, func(k map[string]any) bool {
		return slices.Contains(o.Lacks, fmt.Sprint(k["name"]))
	})
	all.Resources = append(all.Resources,
		map[string]any{"name": "ExternalService", "path": "external-services", "scope": "Mesh", "shortName": ""})
	_ = json.NewEncoder(w).Encode(all)
}

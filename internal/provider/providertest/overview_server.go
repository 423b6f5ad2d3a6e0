package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// OverviewServer is a control plane that lists given overviews of Dataplanes.
type OverviewServer struct {
	*embedded.Server
	Mesh      string // of the overviews; m when it is empty
	Overviews []any
	Date      string       // of the answers; now when it is empty
	Requests  atomic.Int64 // for overviews
}

// path is the path of the overviews.
func (o *OverviewServer) path() string {
	if o.Mesh == "" {
		return "/meshes/m/dataplanes/_overview"
	}
	return "/meshes/" + o.Mesh + "/dataplanes/_overview"
}

// RecordedOverviews are the overviews of proxies in different states.
func RecordedOverviews(t *testing.T) []any {
	t.Helper()
	var overviews []any
	for _, o := range testworld.JSONObjects(t, testworld.Text(t, testworld.Path("internal", "analysis", "rollout", "testdata", "2.14.json"))) {
		overviews = append(overviews, o)
	}
	return overviews
}

// Start returns the provider block for the server. The handler answers, the server itself
// when it is nil.
func (o *OverviewServer) Start(t *testing.T, handler http.Handler) string {
	t.Helper()
	if handler == nil {
		handler = o
	}
	var err error
	if o.Server, err = embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL)
}

func (o *OverviewServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != o.path() {
		o.Server.ServeHTTP(w, r)
		return
	}
	o.Requests.Add(1)
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	size, _ := strconv.Atoi(r.URL.Query().Get("size"))
	end := min(offset+size, len(o.Overviews))
	page := map[string]any{"total": len(o.Overviews), "items": o.Overviews[offset:end], "next": nil}
	if end < len(o.Overviews) {
		page["next"] = fmt.Sprintf("http://elsewhere/?offset=%d", end)
	}
	w.Header().Set("Content-Type", "application/json")
	if o.Date != "" {
		w.Header().Set("Date", o.Date)
	}
	_ = json.NewEncoder(w).Encode(page)
}

package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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
	o.Server = newServer(t, t.TempDir(), kuma.Newest2())
	return listen(t, handler)
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

// FollowingServer is a control plane whose connected proxies answer a change of a policy. It
// shows their answers from the second request for overviews on, and its clock advances with
// each request, so that outcomes do not depend on the speed of the machine.
type FollowingServer struct {
	OverviewServer
	Rejects, ignores []string      // names of proxies
	Ahead            time.Duration // of its clock
	Step             time.Duration // by which its clock advances with each request for overviews

	Mutex    sync.Mutex
	written  time.Time // the last write of a policy whose answers it does not show; zero for none
	readings int       // since then
}

// Steps after which a provider does not know yet how proxies answered, and knows it even if
// the control plane is late. A control plane shows an answer within a minute.
const (
	StepBefore = 30 * time.Second
	StepBeyond = 3 * time.Minute
)

// now returns the time by the clock of the control plane.
func (s *FollowingServer) now() time.Time { return time.Now().Add(s.Ahead) }

// read returns the time of a reading of the overviews, to which it adds what the proxies have
// answered.
func (s *FollowingServer) read() time.Time {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	at := s.now()
	s.Ahead += s.Step
	if s.readings++; s.readings == 2 && !s.written.IsZero() {
		s.show()
	}
	return at
}

func (s *FollowingServer) show() {
	at := s.written.Add(300 * time.Millisecond).UTC().Format(time.RFC3339Nano)
	for _, o := range s.Overviews {
		name := tree.Text(tree.Object(o)["name"])
		for _, subscription := range tree.Objects(tree.Object(tree.Object(o)["dataplaneInsight"])["subscriptions"]) {
			if slices.Contains(s.ignores, name) || subscription["disconnectTime"] != nil {
				continue
			}
			status := tree.Object(subscription["status"])
			status["lastUpdateTime"] = at
			for _, counter := range []string{"lds", "total"} {
				c := tree.Object(status[counter])
				increase(c, "responsesSent")
				if slices.Contains(s.Rejects, name) {
					increase(c, "responsesRejected")
				} else {
					increase(c, "responsesAcknowledged")
				}
			}
		}
	}
}

func (s *FollowingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/meshtimeouts/"):
		s.OverviewServer.ServeHTTP(w, r)
		s.Mutex.Lock()
		s.written, s.readings = s.now(), 0
		s.Mutex.Unlock()
	case r.URL.Path == "/config":
		_, _ = fmt.Fprint(w,
			`{"mode": "zone", "environment": "universal", "multizone": {"zone": {"name": "zone-1"}},
			"xdsServer": {"dataplaneConfigurationRefreshInterval": "100ms", "dataplaneStatusFlushInterval": "1m"}}`)
	case r.URL.Path == s.path():
		w.Header().Set("Date", s.read().UTC().Format(http.TimeFormat))
		s.OverviewServer.ServeHTTP(w, r)
	default:
		s.OverviewServer.ServeHTTP(w, r)
	}
}

// NewFollowingServer returns a server for which the named proxies reject or ignore changes.
func NewFollowingServer(t *testing.T, rejects, ignores []string) *FollowingServer {
	t.Helper()
	server := &FollowingServer{Rejects: rejects, ignores: ignores, Step: StepBeyond}
	for _, o := range RecordedOverviews(t) {
		if slices.Contains([]string{"gone", "two", "web"}, tree.Text(tree.Object(o)["name"])) {
			server.Overviews = append(server.Overviews, o)
		}
	}
	return server
}

func increase(counts map[string]any, name string) {
	var n int
	_, _ = fmt.Sscan(tree.Text(counts[name]), &n)
	counts[name] = fmt.Sprint(n + 1)
}

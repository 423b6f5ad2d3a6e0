package providertest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// FollowingServer is a control plane whose connected proxies answer a change of a
// policy after a moment. It shows their answers after a second.
type FollowingServer struct {
	OverviewServer
	Rejects, ignores []string      // names of proxies
	Ahead            time.Duration // of its clock

	Mutex   sync.Mutex
	written time.Time // the last write of a policy; zero for none
}

// show adds to the overviews what the proxies have answered.
func (s *FollowingServer) show() {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	if s.written.IsZero() || time.Since(s.written) < time.Second {
		return
	}
	at := s.written.Add(s.Ahead + 300*time.Millisecond).UTC().Format(time.RFC3339Nano)
	s.written = time.Time{}
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
		s.written = time.Now()
		s.Mutex.Unlock()
	case r.URL.Path == "/config":
		_, _ = fmt.Fprint(w, `{"mode": "zone", "environment": "universal", "multizone": {"zone": {"name": "zone-1"}}, "xdsServer": {"dataplaneConfigurationRefreshInterval": "100ms", "dataplaneStatusFlushInterval": "1s"}}`)
	case r.URL.Path == s.path():
		s.show()
		s.Date = time.Now().Add(s.Ahead).UTC().Format(http.TimeFormat)
		s.OverviewServer.ServeHTTP(w, r)
	default:
		s.OverviewServer.ServeHTTP(w, r)
	}
}

func NewFollowingServer(t *testing.T, rejects, ignores []string) *FollowingServer {
	t.Helper()
	server := &FollowingServer{Rejects: rejects, ignores: ignores}
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

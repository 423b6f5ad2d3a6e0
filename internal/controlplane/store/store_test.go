package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// server is an embedded control plane behind a connection with injected faults.
type server struct {
	*embedded.Server

	mu       sync.Mutex
	requests map[string]int // by method
	// disturb responds to a request instead of the control plane; false to let it
	// through. done is the response of the control plane.
	disturb func(w http.ResponseWriter, r *http.Request, done func()) bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[r.Method]++
	answered := s.disturb != nil && s.disturb(w, r, func() { s.Server.ServeHTTP(httptest.NewRecorder(), r) })
	if !answered {
		s.Server.ServeHTTP(w, r)
	}
}

// once disturbs the first write.
func once(method string, disturb func(w http.ResponseWriter, done func())) func(http.ResponseWriter, *http.Request, func()) bool {
	did := false
	return func(w http.ResponseWriter, r *http.Request, done func()) bool {
		if did || r.Method != method {
			return false
		}
		did = true
		disturb(w, done)
		return true
	}
}

func open(t *testing.T, options store.Options) (*server, *store.Store) {
	t.Helper()
	return openRelease(t, kuma.Newest2(), options)
}

func openRelease(t *testing.T, release kuma.Release, options store.Options) (*server, *store.Store) {
	t.Helper()
	inner, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: release})
	testworld.NoError(t, err)
	s := &server{Server: inner, requests: map[string]int{}}
	endpoint := httptest.NewServer(s)
	t.Cleanup(endpoint.Close)
	client, err := controlplane.New(controlplane.Config{Endpoint: endpoint.URL, MaxRetries: -1})
	testworld.NoError(t, err)
	opened, err := store.Open(t.Context(), client, options)
	testworld.NoError(t, err)
	mesh := kuma.Resource{Type: "Mesh", Name: "shop", Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}}
	create(t, opened.Resources(kinds.Mesh), mesh)
	s.requests = map[string]int{}
	return s, opened
}

// timeout returns a policy with a request timeout.
func timeout(name, requests string) kuma.Resource {
	entry := map[string]any{"targetRef": map[string]any{"kind": "Mesh"}, "default": map[string]any{"http": map[string]any{"requestTimeout": requests}}}
	return kuma.Resource{Type: "MeshTimeout", Mesh: "shop", Name: name, Body: map[string]any{"spec": map[string]any{"to": []any{entry}}}}
}

func isError[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// TestReplace checks that changes by other clients are kept, and that a write that
// only seemed to fail succeeds.
func TestReplace(t *testing.T) {
	t.Parallel()
	status := func(code int, written bool) func(http.ResponseWriter, func()) {
		return func(w http.ResponseWriter, done func()) {
			if written {
				done()
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
		}
	}
	for name, test := range map[string]struct {
		options   store.Options
		compared  bool
		unseen    bool // another client changed it
		deleted   bool // another client deleted it
		recreate  bool
		disturb   func(http.ResponseWriter, *http.Request, func()) bool
		next      string
		want      func(error) bool // nil for success
		puts      int
		requestIs string
	}{
		"as seen":                      {next: "2s", puts: 1, requestIs: "2s"},
		"nothing to write":             {next: "1000ms", puts: 0, requestIs: "1s"},
		"changed since":                {unseen: true, next: "2s", want: isError[*store.ChangedError], requestIs: "9s"},
		"changed since, overwritten":   {options: store.Options{Overwrite: true}, unseen: true, next: "2s", puts: 1, requestIs: "2s"},
		"changed since, compared":      {options: store.Options{Overwrite: true}, compared: true, unseen: true, next: "2s", want: isError[*store.ChangedError], requestIs: "9s"},
		"deleted since":                {deleted: true, next: "2s", want: isError[*store.ChangedError]},
		"deleted since, overwritten":   {options: store.Options{Overwrite: true}, deleted: true, next: "2s", puts: 1, requestIs: "2s"},
		"deleted since, and recreated": {recreate: true, deleted: true, next: "2s", puts: 1, requestIs: "2s"},
		"conflict":                     {next: "2s", disturb: once(http.MethodPut, status(http.StatusConflict, false)), puts: 2, requestIs: "2s"},
		"failure after the write":      {next: "2s", disturb: once(http.MethodPut, status(http.StatusBadGateway, true)), puts: 1, requestIs: "2s"},
		"failure before the write":     {next: "2s", disturb: once(http.MethodPut, status(http.StatusBadGateway, false)), want: isError[*controlplane.ServerError], puts: 1, requestIs: "1s"},
		"no reading":                   {next: "2s", disturb: once(http.MethodGet, status(http.StatusBadGateway, false)), want: isError[*store.ReadError], requestIs: "1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, opened := open(t, test.options)
			timeouts := opened.Resources(kinds.MeshTimeout)
			first := create(t, timeouts, timeout("web", "1s"))
			seen := timeouts.Fingerprint(first.Resource)
			if test.unseen {
				if _, err := timeouts.Replace(t.Context(), store.Update{Resource: timeout("web", "9s")}); err != nil {
					t.Fatal(err)
				}
			}
			if test.deleted {
				if _, err := timeouts.Delete(t.Context(), first.Resource.Key(), ""); err != nil {
					t.Fatal(err)
				}
			}
			s.requests, s.disturb = map[string]int{}, test.disturb
			if test.compared {
				timeouts = timeouts.Compared()
			}
			_, err := timeouts.Replace(t.Context(), store.Update{Resource: timeout("web", test.next), Fingerprint: seen, Recreate: test.recreate})
			if want := test.want; (want == nil) != (err == nil) || want != nil && !want(err) {
				t.Errorf("Replace() = %v (%T)", err, err)
			}
			if s.requests[http.MethodPut] != test.puts {
				t.Errorf("%d PUT, want %d", s.requests[http.MethodPut], test.puts)
			}
			stored, err := timeouts.Current(t.Context(), first.Resource.Key())
			if test.requestIs == "" {
				if !store.IsNotFound(err) {
					t.Errorf("Current() = %v, want nothing", err)
				}
				return
			}
			if after := timeout("web", test.requestIs); err != nil || !timeouts.UpToDate(after, stored) {
				t.Errorf("stored %v, %v, want a timeout of %s", stored.Body, err, test.requestIs)
			}
		})
	}
}

// create writes a resource that does not exist.
func create(t *testing.T, into store.Resources, r kuma.Resource) store.Written {
	t.Helper()
	written, err := into.Create(t.Context(), r)
	testworld.NoError(t, err)
	return written
}

// TestCreate checks that a resource of another client is kept, or at least noticed.
func TestCreate(t *testing.T) {
	t.Parallel()
	t.Run("exists", func(t *testing.T) {
		t.Parallel()
		_, opened := open(t, store.Options{})
		timeouts := opened.Resources(kinds.MeshTimeout)
		create(t, timeouts, timeout("web", "1s"))
		if _, err := timeouts.Create(t.Context(), timeout("web", "2s")); !isError[*controlplane.ExistsError](err) {
			t.Errorf("Create() = %v, want an ExistsError", err)
		}
	})
	t.Run("exists, and the control plane does not look", func(t *testing.T) {
		t.Parallel()
		s, opened := open(t, store.Options{})
		timeouts := opened.Resources(kinds.MeshTimeout)
		create(t, timeouts, timeout("web", "1s"))
		s.disturb = func(_ http.ResponseWriter, r *http.Request, _ func()) bool {
			r.Header.Del("If-None-Match")
			return false
		}
		if _, err := timeouts.Create(t.Context(), timeout("web", "2s")); !isError[*store.OverwrittenError](err) {
			t.Errorf("Create() = %v, want an OverwrittenError", err)
		}
	})
	t.Run("new", func(t *testing.T) {
		t.Parallel()
		_, opened := open(t, store.Options{})
		written, err := opened.Resources(kinds.MeshTimeout).Create(t.Context(), timeout("web", "1s"))
		if err != nil || !written.New || written.Resource.Labels[kuma.LabelZone] != "zone-1" {
			t.Errorf("Create() = %+v, %v, want a new resource with the labels of the zone", written, err)
		}
	})
}

// TestDelete checks that only the known version is deleted, and that deleting a
// missing resource succeeds.
func TestDelete(t *testing.T) {
	t.Parallel()
	_, opened := open(t, store.Options{})
	timeouts := opened.Resources(kinds.MeshTimeout)
	written := create(t, timeouts, timeout("web", "1s"))
	key := written.Resource.Key()
	if _, err := timeouts.Delete(t.Context(), key, "another"); !isError[*store.ChangedError](err) {
		t.Errorf("Delete() of what was not seen = %v, want a ChangedError", err)
	}
	if deleted, err := timeouts.Delete(t.Context(), key, timeouts.Fingerprint(written.Resource)); err != nil || deleted.Key() != key {
		t.Errorf("Delete() = %v, %v", deleted, err)
	}
	if deleted, err := timeouts.Delete(t.Context(), key, "whatever"); err != nil || deleted.Name != "" {
		t.Errorf("Delete() of what is gone = %v, %v", deleted, err)
	}
}

// TestAcknowledgedDeletionIsVerified checks that a deletion that was acknowledged and not
// carried out is an error, and that a resource that was created again right after is not.
func TestAcknowledgedDeletionIsVerified(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options store.Options
		deleted bool // before the acknowledgement
		again   bool // another client creates the resource again
		fails   bool
	}{
		"carried out":     {deleted: true},
		"created again":   {deleted: true, again: true},
		"not carried out": {fails: true},
		"not carried out, changes are overwritten": {options: store.Options{Overwrite: true}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, opened := open(t, test.options)
			timeouts := opened.Resources(kinds.MeshTimeout)
			written := create(t, timeouts, timeout("web", "1s"))
			s.disturb = once(http.MethodDelete, func(w http.ResponseWriter, done func()) {
				if test.deleted {
					done()
				}
				if test.again {
					body, _ := json.Marshal(timeout("web", "2s").Document())
					again := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/meshes/shop/meshtimeouts/web", bytes.NewReader(body))
					again.Header.Set("Content-Type", "application/json")
					s.Server.ServeHTTP(httptest.NewRecorder(), again)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, "{}")
			})
			_, err := timeouts.Delete(t.Context(), written.Resource.Key(), "")
			if isError[*store.NotCarriedOutError](err) != test.fails || !test.fails && err != nil {
				t.Errorf("Delete() = %v, want a NotCarriedOutError: %t", err, test.fails)
			}
		})
	}
}

// TestAcknowledgedWriteIsVerified checks that a write that was acknowledged and not carried
// out is an error, and that one which another client has changed right after is not.
func TestAcknowledgedWriteIsVerified(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		done  bool   // before the acknowledgement
		again string // document that another client writes then
		fails bool
	}{
		"carried out":     {done: true},
		"changed again":   {done: true, again: "3s"},
		"not carried out": {fails: true},
	} {
		for _, answer := range []string{"{}", "", "null"} {
			for _, status := range []int{http.StatusOK, http.StatusCreated} {
				t.Run(fmt.Sprintf("%s/%d %s", name, status, answer), func(t *testing.T) {
					t.Parallel()
					s, opened := open(t, store.Options{Overwrite: true})        // a creation with status 200 is not an error
					fails := test.fails || answer == "null" && test.again != "" // no response of a control plane
					disturb := func() {
						s.disturb = once(http.MethodPut, func(w http.ResponseWriter, done func()) {
							if test.done {
								done()
							}
							if test.again != "" {
								body, _ := json.Marshal(timeout("web", test.again).Document())
								again := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/meshes/shop/meshtimeouts/web", bytes.NewReader(body))
								again.Header.Set("Content-Type", "application/json")
								s.Server.ServeHTTP(httptest.NewRecorder(), again)
							}
							w.Header().Set("Content-Type", "application/json")
							w.WriteHeader(status)
							_, _ = io.WriteString(w, answer)
						})
					}
					timeouts := opened.Resources(kinds.MeshTimeout)
					disturb()
					if _, err := timeouts.Create(t.Context(), timeout("web", "1s")); (err != nil) != fails {
						t.Errorf("Create() = %v, want an error: %t", err, fails)
					}
					if test.fails {
						create(t, timeouts, timeout("web", "1s"))
					}
					disturb()
					if _, err := timeouts.Replace(t.Context(), store.Update{Resource: timeout("web", "2s")}); (err != nil) != fails {
						t.Errorf("Replace() = %v, want an error: %t", err, fails)
					}
				})
			}
		}
	}
}

// TestMissingListIsNoEmptyList checks that a list with status 404 fails the read of a mesh that
// exists, since fewer resources would look like deleted ones.
func TestMissingListIsNoEmptyList(t *testing.T) {
	t.Parallel()
	const noMesh = `{"type":"/std-errors","status":404,"title":"Failed to retrieve Mesh","detail":"Not found"}`
	for name, body := range map[string]string{"path": "404: Page Not Found", "mesh": noMesh, "resource": strings.Replace(noMesh, "Mesh", "a resource", 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, opened := open(t, store.Options{})
			create(t, opened.Resources(kinds.MeshTimeout), timeout("web", "1s"))
			s.disturb = func(w http.ResponseWriter, r *http.Request, _ func()) bool {
				if !strings.HasSuffix(r.URL.Path, "/meshtimeouts") {
					return false
				}
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, body)
				return true
			}
			if all, err := opened.MeshResources(t.Context(), "shop", kinds.All()); err == nil {
				t.Errorf("MeshResources() = %d resources without an error", len(all))
			}
			s.disturb = nil
			if all, err := opened.MeshResources(t.Context(), "gone", kinds.All()); err != nil || len(all) != 0 {
				t.Errorf("MeshResources() of a mesh that does not exist = %d resources, %v", len(all), err)
			}
		})
	}
}

// TestListCache checks that many reads share one list, and that a write invalidates it.
func TestListCache(t *testing.T) {
	t.Parallel()
	const n = 40
	s, opened := open(t, store.Options{})
	timeouts := opened.Resources(kinds.MeshTimeout)
	var keys []kuma.Key
	for i := range n {
		r := timeout("t"+strings.Repeat("x", i), "1s")
		keys = append(keys, r.Key())
		create(t, timeouts, r)
	}
	s.requests = map[string]int{}
	for _, key := range keys {
		if _, err := timeouts.Get(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.requests[http.MethodGet]; got > 10 {
		t.Errorf("%d requests for %d resources", got, n)
	}
	if _, err := timeouts.Delete(t.Context(), keys[0], ""); err != nil {
		t.Fatal(err)
	}
	if _, err := timeouts.Get(t.Context(), keys[0]); !store.IsNotFound(err) {
		t.Errorf("Get() of what was deleted = %v", err)
	}
	if all, err := opened.MeshResources(t.Context(), "shop", kinds.All()); err != nil || len(all) != n-1+1 { // and the mesh
		t.Errorf("MeshResources() = %d resources, %v", len(all), err)
	}
}

// TestRemovedKindsAreNotRead checks that a kind that the control plane does not have costs no
// request, however often it is read.
func TestRemovedKindsAreNotRead(t *testing.T) {
	t.Parallel()
	s, opened := openRelease(t, kuma.Release{Major: 3}, store.Options{})
	for range 3 {
		if all, err := opened.MeshResources(t.Context(), "shop", []def.Kind{kinds.MeshGateway, kinds.MeshTimeout}); err != nil || len(all) != 0 {
			t.Fatalf("MeshResources() = %v, %v", all, err)
		}
	}
	if got := s.requests[http.MethodGet]; got != 1 {
		t.Errorf("%d requests, want one for the list of MeshTimeouts", got)
	}
}

// TestListsAreReadConcurrently checks that the kinds of a mesh are read four at a time.
func TestListsAreReadConcurrently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()})
		testworld.NoError(t, err)
		var now, most atomic.Int32
		network := roundTripper(func(r *http.Request) (*http.Response, error) {
			now.Add(1)
			defer now.Add(-1)
			time.Sleep(time.Second) // the clock of the bubble advances when all requests that are allowed have been sent
			most.Store(max(most.Load(), now.Load()))
			return inner.Transport().RoundTrip(r)
		})
		client, err := controlplane.New(controlplane.Config{Endpoint: "http://cp", Transport: network, MaxRetries: -1})
		testworld.NoError(t, err)
		opened, err := store.Open(t.Context(), client, store.Options{})
		testworld.NoError(t, err)
		if _, err := opened.MeshResources(t.Context(), "default", kinds.All()); err != nil {
			t.Fatal(err)
		}
		if got := most.Load(); got != 4 {
			t.Errorf("at most %d requests at a time, want 4", got)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestCheckWritable checks which control planes do not accept changes.
func TestCheckWritable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config string
		want   *store.ReadOnlyError
	}{
		"universal":  {`{"mode":"zone","environment":"universal","apiServer":{"readOnly":false}}`, nil},
		"read-only":  {`{"mode":"zone","environment":"universal","apiServer":{"readOnly":true}}`, &store.ReadOnlyError{}},
		"kubernetes": {`{"mode":"zone","environment":"kubernetes","apiServer":{"readOnly":false}}`, &store.ReadOnlyError{Kubernetes: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, before := open(t, store.Options{})
			s.disturb = func(w http.ResponseWriter, r *http.Request, _ func()) bool {
				if r.URL.Path == "/config" {
					_, _ = w.Write([]byte(test.config))
				}
				return r.URL.Path == "/config"
			}
			opened, err := store.Open(t.Context(), before.Client(), store.Options{})
			testworld.NoError(t, err)
			var got *store.ReadOnlyError
			if errors.As(opened.CheckWritable(), &got); (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
				t.Errorf("CheckWritable() = %v, want %v", got, test.want)
			}
		})
	}
}

// TestPortsOfAnOlderRelease checks that nothing is written because a release returns
// zero for an absent port.
func TestPortsOfAnOlderRelease(t *testing.T) {
	t.Parallel()
	service := kuma.Resource{Type: "MeshService", Mesh: "shop", Name: "web", Body: map[string]any{"spec": map[string]any{"ports": []any{map[string]any{"port": json.Number("80")}}}}}
	answer := service.Clone()
	answer.Spec()["ports"].([]any)[0].(map[string]any)["targetPort"] = json.Number("0")
	for version, want := range map[string]bool{"2.11.18": true, "2.14.3": false} {
		s, before := open(t, store.Options{})
		s.disturb = func(w http.ResponseWriter, r *http.Request, _ func()) bool {
			switch r.URL.Path {
			case "/":
				_ = json.NewEncoder(w).Encode(map[string]any{"product": "Kuma", "version": version})
			case "/meshes/shop/meshservices/web":
				_ = json.NewEncoder(w).Encode(answer.Document())
			case "/meshes/shop/meshservices":
				_ = json.NewEncoder(w).Encode(map[string]any{"items": []any{answer.Document()}})
			default:
				return false
			}
			return true
		}
		opened, err := store.Open(t.Context(), before.Client(), store.Options{})
		testworld.NoError(t, err)
		services := opened.Resources(kinds.MeshService)
		one, err := services.Current(t.Context(), service.Key())
		testworld.NoError(t, err)
		all, err := opened.MeshResources(t.Context(), "shop", []def.Kind{kinds.MeshService})
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		read := []kuma.Resource{one, all[0]}
		for stored, err := range opened.All(t.Context(), kinds.MeshService, "shop") {
			testworld.NoError(t, err)
			read = append(read, stored)
		}
		if len(read) != 3 {
			t.Errorf("%s: %d resources were read, want 3", version, len(read))
		}
		for _, stored := range read {
			if got := services.UpToDate(service, stored); got != want {
				t.Errorf("%s: UpToDate() = %t for %v", version, got, stored.Body)
			}
		}
	}
}

// TestPathsOfAnOlderRelease checks that requests use the paths that the control plane lists
// (rest-api.md §20).
func TestPathsOfAnOlderRelease(t *testing.T) {
	t.Parallel()
	s, before := open(t, store.Options{})
	older := strings.NewReplacer("/globalsecrets", "/global-secrets", "/zoneingresses", "/zone-ingresses")
	latest := strings.NewReplacer("/global-secrets", "/globalsecrets", "/zone-ingresses", "/zoneingresses")
	s.disturb = func(w http.ResponseWriter, r *http.Request, _ func()) bool {
		if r.URL.Path == "/_resources" {
			answer := httptest.NewRecorder()
			s.Server.ServeHTTP(answer, r)
			_, _ = io.WriteString(w, strings.NewReplacer(`"globalsecrets"`, `"global-secrets"`, `"zoneingresses"`, `"zone-ingresses"`).Replace(answer.Body.String()))
			return true
		}
		if older.Replace(r.URL.Path) != r.URL.Path {
			http.Error(w, "404: Page Not Found", http.StatusNotFound)
			return true
		}
		r.URL.Path = latest.Replace(r.URL.Path)
		return false
	}
	opened, err := store.Open(t.Context(), before.Client(), store.Options{})
	testworld.NoError(t, err)
	secrets := opened.Resources(kinds.GlobalSecret)
	secret := kuma.Resource{Type: "GlobalSecret", Name: "list", Body: map[string]any{"data": "YQ=="}}
	create(t, secrets, secret)
	if all, err := opened.List(t.Context(), kinds.GlobalSecret, ""); err != nil || len(all) != 1 {
		t.Errorf("List() = %v, %v", all, err)
	}
	if all, err := opened.MeshResources(t.Context(), "shop", []def.Kind{kinds.GlobalSecret}); err != nil || len(all) != 1 {
		t.Errorf("MeshResources() = %v, %v", all, err)
	}
	for _, err := range opened.All(t.Context(), kinds.GlobalSecret, "") {
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := secrets.Delete(t.Context(), secret.Key(), ""); err != nil {
		t.Error(err)
	}
	for _, err := range opened.Overviews(t.Context(), kinds.ZoneIngress, "") {
		if err != nil {
			t.Error(err)
		}
	}
}

// claims makes a control plane report another version and configuration.
func (s *server) claims(t *testing.T, before *store.Store, version, config string) *store.Store {
	t.Helper()
	s.disturb = func(w http.ResponseWriter, r *http.Request, _ func()) bool {
		switch r.URL.Path {
		case "/":
			_ = json.NewEncoder(w).Encode(map[string]any{"product": "Kuma", "version": version})
		case "/config":
			_, _ = w.Write([]byte(config))
		default:
			return false
		}
		return true
	}
	opened, err := store.Open(t.Context(), before.Client(), store.Options{})
	testworld.NoError(t, err)
	return opened
}

// TestCopies checks that a resource of another control plane is neither changed nor
// deleted, and that no request is sent.
func TestCopies(t *testing.T) {
	t.Parallel()
	const global = `{"mode":"global"}`
	const zone = `{"mode":"zone","multizone":{"zone":{"name":"zone-1","globalAddress":"grpcs://global:5685"}}}`
	const alone = `{"mode":"zone","multizone":{"zone":{"name":"zone-1"}}}`
	for name, test := range map[string]struct {
		config, origin, owner string
		copied                bool
	}{
		"of the global on a zone":    {zone, kuma.OriginGlobal, "the global control plane", true},
		"of a zone on the global":    {global, kuma.OriginZone, `zone "zone-1"`, true},
		"own on a zone":              {zone, kuma.OriginZone, "", false},
		"own on a zone of its own":   {alone, kuma.OriginZone, "", false},
		"own on the global":          {global, "", "", false},
		"left from a former global ": {alone, kuma.OriginGlobal, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, before := open(t, store.Options{})
			stored := timeout("web", "1s")
			if test.origin != "" {
				stored.Labels = map[string]string{kuma.LabelOrigin: test.origin}
			}
			if _, _, err := before.Client().Put(t.Context(), kinds.MeshTimeout, stored); err != nil {
				t.Fatal(err)
			}
			opened := s.claims(t, before, "2.14.3", test.config)
			own, err := opened.Resources(kinds.MeshTimeout).Current(t.Context(), stored.Key())
			testworld.NoError(t, err)
			if test.origin == "" { // the embedded control plane adds the labels of a zone
				delete(own.Labels, kuma.LabelOrigin)
				if err := opened.CheckOwned(kinds.MeshTimeout, own); err != nil {
					t.Errorf("CheckOwned() = %v", err)
				}
				return
			}
			s.requests = map[string]int{}
			_, changed := opened.Resources(kinds.MeshTimeout).Replace(t.Context(), store.Update{Resource: timeout("web", "2s")})
			_, deleted := opened.Resources(kinds.MeshTimeout).Delete(t.Context(), stored.Key(), "")
			for what, err := range map[string]error{"Replace": changed, "Delete": deleted} {
				if isError[*store.SyncedError](err) != test.copied || test.copied && !strings.Contains(err.Error(), "belongs to "+test.owner) || !test.copied && err != nil {
					t.Errorf("%s() = %v", what, err)
				}
			}
			if writes := s.requests[http.MethodPut] + s.requests[http.MethodDelete]; test.copied != (writes == 0) {
				t.Errorf("%d writes were sent", writes)
			}
		})
	}
}

// TestWritesAreComplete checks that defaults and computed labels are sent to a release
// that does not add them: it would reject the resource without them, or
// lose them.
func TestWritesAreComplete(t *testing.T) {
	t.Parallel()
	metric := kuma.Resource{Type: "MeshMetric", Mesh: "shop", Name: "all", Body: map[string]any{"spec": map[string]any{"default": map[string]any{
		"backends": []any{map[string]any{"type": "Prometheus", "prometheus": map[string]any{}}},
	}}}}
	for version, complete := range map[string]bool{"2.9.0": true, "2.14.3": false} {
		s, before := open(t, store.Options{})
		opened := s.claims(t, before, version, `{"mode":"zone","multizone":{"zone":{"name":"zone-1"}}}`)
		discovery := s.disturb
		var sent string
		s.disturb = func(w http.ResponseWriter, r *http.Request, done func()) bool {
			if r.Method == http.MethodPut {
				body, _ := io.ReadAll(r.Body)
				sent, r.Body = string(body), io.NopCloser(bytes.NewReader(body))
			}
			return discovery(w, r, done)
		}
		create(t, opened.Resources(kinds.MeshMetric), metric)
		for _, field := range []string{`"port":5670`, `"path":"/metrics"`, `"kuma.io/zone":"zone-1"`} {
			if strings.Contains(sent, field) != complete {
				t.Errorf("%s was sent %s, want with %s: %t", version, sent, field, complete)
			}
		}
	}
}

// TestAwaitsOtherControlPlanes creates a resource in a zone that gets the mesh of its global control plane later, and deletes a
// mesh from a global control plane that learns later that its zones have no Dataplanes any more.
func TestAwaitsOtherControlPlanes(t *testing.T) {
	t.Parallel()
	refuse := func(code int, body string) func(http.ResponseWriter, func()) {
		return func(w http.ResponseWriter, _ func()) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	noMesh := refuse(http.StatusNotFound, `{"type": "/std-errors", "status": 404, "title": "Failed to retrieve Mesh", "detail": "Not found"}`)
	attached := refuse(http.StatusBadRequest, `{"type": "/std-errors", "status": 400, "title": "Could not delete a resource", "detail": "Resource is not valid", `+
		`"invalid_parameters": [{"field": "mesh", "reason": "unable to delete mesh, there are still some dataplanes attached"}]}`)
	for name, test := range map[string]struct {
		cp    kuma.ControlPlane
		waits map[string]bool // by method
	}{
		"zone of a global control plane": {kuma.ControlPlane{Mode: kuma.ModeZone, Federated: true}, map[string]bool{http.MethodPut: true}},
		"global control plane":           {kuma.ControlPlane{Mode: kuma.ModeGlobal}, map[string]bool{http.MethodDelete: true}},
		"zone of its own":                {kuma.ControlPlane{Mode: kuma.ModeZone}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, opened := open(t, store.Options{})
			test.cp.Release = opened.ControlPlane.Release
			opened.ControlPlane = test.cp
			s.disturb = once(http.MethodPut, noMesh)
			_, err := opened.Resources(kinds.MeshTimeout).Create(t.Context(), timeout("web", "1s"))
			if waits := test.waits[http.MethodPut]; waits != (err == nil) || waits != (s.requests[http.MethodPut] == 2) {
				t.Errorf("Create() = %v after %d requests, want it to wait: %t", err, s.requests[http.MethodPut], waits)
			}
			s.disturb = once(http.MethodDelete, attached)
			_, err = opened.Resources(kinds.Mesh).Delete(t.Context(), kuma.MeshKey("shop"), "")
			if waits := test.waits[http.MethodDelete]; waits != (err == nil) || waits != (s.requests[http.MethodDelete] == 2) {
				t.Errorf("Delete() = %v after %d requests, want it to wait: %t", err, s.requests[http.MethodDelete], waits)
			}
		})
	}
}

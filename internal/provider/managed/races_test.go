package managed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// race is a session with a control plane to which others write.
type race struct {
	*providertest.Session
	others *controlplane.Client
	mu     sync.Mutex
	// before is called once, before the next request with the method is served; it
	// returns whether it answered the request itself.
	before map[string]func(http.ResponseWriter, *http.Request) bool
	hits   map[string]int // requests by method
	config map[string]any // of the provider
}

// newRace starts a control plane which, like those of Kuma, does not know
// conditional requests. It has the mesh "default".
func newRace(t *testing.T, provider map[string]any) *race {
	t.Helper()
	server, others := withDefaultMesh(t)
	r := &race{others: others, before: map[string]func(http.ResponseWriter, *http.Request) bool{}, hits: map[string]int{}}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Header.Del("If-None-Match")
		r.mu.Lock()
		r.hits[req.Method]++
		before := r.before[req.Method]
		delete(r.before, req.Method)
		r.mu.Unlock()
		if before == nil || !before(w, req) {
			server.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(proxy.Close)
	config := map[string]any{"endpoint": proxy.URL}
	maps.Copy(config, provider)
	r.Session, r.config = providertest.NewSession(t, "kuma_mesh_timeout", config), config
	return r
}

// next sets what happens before the next request with a method.
func (r *race) next(method string, do func(http.ResponseWriter, *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before[method], r.hits[method] = do, 0
}

// write writes the timeout as another client; an empty one deletes it.
func (r *race) write(t *testing.T, idle string) {
	t.Helper()
	var err error
	if idle == "" {
		err = r.others.Delete(context.Background(), kinds.MeshTimeout, "default", "web")
	} else {
		_, _, err = r.others.Put(context.Background(), kinds.MeshTimeout, timeoutResource(idle))
	}
	if err != nil {
		t.Error(err)
	}
}

func timeoutResource(idle string) kuma.Resource {
	return kuma.Resource{Type: "MeshTimeout", Mesh: "default", Name: "web", Body: map[string]any{"spec": map[string]any{
		"to": []any{map[string]any{"targetRef": map[string]any{"kind": "Mesh"}, "default": map[string]any{"idleTimeout": idle}}},
	}}}
}

func wantError(t *testing.T, diags []*tfprotov6.Diagnostic, want string) {
	t.Helper()
	if !providertest.HasErrors(diags) || !strings.Contains(said(diags), want) {
		t.Errorf("the provider says %q, want an error with %q", said(diags), want)
	}
}

func said(diags []*tfprotov6.Diagnostic) string {
	var text strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&text, "%s: %s: %s\n", d.Severity, d.Summary, d.Detail)
	}
	return text.String()
}

// TestCreateAnswered200IsNotClaimed checks a creation when another client creates the
// resource between its read and its write.
func TestCreateAnswered200IsNotClaimed(t *testing.T) {
	t.Parallel()
	r := newRace(t, nil)
	r.next(http.MethodPut, func(http.ResponseWriter, *http.Request) bool { r.write(t, "9s"); return false })
	wantError(t, r.Apply(t, timeoutOf("1s"), nil), "this apply overwrote it")
	if !r.State().IsNull() {
		t.Errorf("the resource is in the state: %s", r.State())
	}
}

// TestTwoCreationsInOneProcess creates a resource with two provider configurations at the same time:
// the second one must not write over the first one because it has looked before that.
func TestTwoCreationsInOneProcess(t *testing.T) {
	t.Parallel()
	r := newRace(t, nil)
	other := providertest.NewSession(t, "kuma_mesh_timeout", r.config)
	second := make(chan []*tfprotov6.Diagnostic, 1)
	r.next(http.MethodPut, func(http.ResponseWriter, *http.Request) bool {
		planned, looked := make(chan struct{}), make(chan struct{})
		go func() {
			second <- other.Apply(t, timeoutOf("2s"), func() {
				r.next(http.MethodGet, func(http.ResponseWriter, *http.Request) bool {
					close(looked)
					return false
				})
				close(planned)
			})
		}()
		<-planned
		select {
		case <-looked: // by the apply: it does not find the resource
			time.Sleep(100 * time.Millisecond)
		case <-time.After(300 * time.Millisecond): // it waits for this write
		}
		return false
	})
	mustSucceed(t, r.Apply(t, timeoutOf("1s"), nil))
	wantError(t, <-second, "already exists")
	if got := storedIdle(t, r.others); got != "1s" {
		t.Errorf("stored %q, want that of the first", got)
	}
}

// TestDeletedBeforeUpdate checks that an update does not create a resource again that
// another client deleted after the plan.
func TestDeletedBeforeUpdate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		provider    map[string]any
		want, holds string
	}{
		"refused":     {nil, "was deleted by another client", ""},
		"overwritten": {map[string]any{"concurrent_changes": "overwrite"}, "", "2s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRace(t, test.provider)
			mustSucceed(t, r.Apply(t, timeoutOf("1s"), nil))
			mustSucceed(t, r.Refresh(t))
			diags := r.Apply(t, timeoutOf("2s"), func() { r.write(t, "") })
			if test.want != "" {
				wantError(t, diags, test.want)
			} else {
				mustSucceed(t, diags)
			}
			testworld.Equal(t, "stored", test.holds, storedIdle(t, r.others))
		})
	}
}

// TestRepeatedWriteLooksAgain checks a write whose retry finds that another
// client has changed the resource. It prints the outcomes.
func TestRepeatedWriteLooksAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	outcomes := map[string]string{}
	t.Run("cells", func(t *testing.T) {
		repeatedWrites(t, func(name, outcome string) {
			mu.Lock()
			defer mu.Unlock()
			outcomes[name] = outcome
		})
	})
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		fmt.Fprintf(&b, "\n%-40s%s", name, outcomes[name])
	}
	t.Log(b.String())
}

func repeatedWrites(t *testing.T, report func(name, outcome string)) {
	t.Helper()
	unavailable := func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	for name, test := range map[string]struct {
		from, to string // of the apply, empty for none
		others   string // what another client writes meanwhile, or deleted, or nothing
		want     string // in an error
		holds    string
		writes   int
	}{
		"create, created by another client": {"", "1s", "9s", "The resource was not changed", "9s", 1},
		"create, took place":                {"", "1s", "1s", "", "1s", 1},
		"create, nothing happened":          {"", "1s", "nothing", "", "1s", 2},
		"update, changed by another client": {"1s", "2s", "9s", "was changed by another client", "9s", 1},
		"update, deleted by another client": {"1s", "2s", "deleted", "was deleted by another client", "", 1},
		"update, took place":                {"1s", "2s", "2s", "", "2s", 1},
		"update, nothing happened":          {"1s", "2s", "nothing", "", "2s", 2},
		"delete, changed by another client": {"1s", "", "9s", "was changed by another client", "9s", 1},
		"delete, took place":                {"1s", "", "deleted", "", "", 1},
		"delete, nothing happened":          {"1s", "", "nothing", "", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRace(t, nil)
			if test.from != "" {
				mustSucceed(t, r.Apply(t, timeoutOf(test.from), nil))
			}
			method, config := http.MethodPut, timeoutOf(test.to)
			if test.to == "" {
				method, config = http.MethodDelete, nil
			}
			r.next(method, func(w http.ResponseWriter, _ *http.Request) bool {
				switch test.others {
				case "nothing":
				case "deleted":
					r.write(t, "")
				default:
					r.write(t, test.others)
				}
				unavailable(w)
				return true
			})
			diags := r.Apply(t, config, nil)
			if test.want != "" {
				wantError(t, diags, test.want)
			} else {
				mustSucceed(t, diags)
			}
			testworld.Equal(t, "stored", test.holds, storedIdle(t, r.others))
			if got := r.hits[method]; got != test.writes {
				t.Errorf("%d %s requests, want %d", got, method, test.writes)
			}
			outcome := "ok"
			if providertest.HasErrors(diags) {
				outcome = "error, what the other client did stays"
			}
			report(name, fmt.Sprintf("%s, %d requests", outcome, r.hits[method]))
		})
	}
}

// TestLateAttempt checks a creation when an attempt that timed out stores the resource
// just before the next one.
func TestLateAttempt(t *testing.T) {
	t.Parallel()
	r := newRace(t, nil)
	r.next(http.MethodPut, func(w http.ResponseWriter, _ *http.Request) bool {
		r.next(http.MethodPut, func(http.ResponseWriter, *http.Request) bool { r.write(t, "1s"); return false })
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	mustSucceed(t, r.Apply(t, timeoutOf("1s"), nil))
	if r.State().IsNull() || storedIdle(t, r.others) != "1s" {
		t.Errorf("stored %q, and the state is %s", storedIdle(t, r.others), r.State())
	}
}

// TestChangeAfterApplyWithoutRefresh checks that an apply with -refresh=false knows
// what the previous one wrote.
func TestChangeAfterApplyWithoutRefresh(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]map[string]any{"update": timeoutOf("3s"), "delete": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, first := range []string{"created", "updated"} {
				r := newRace(t, nil)
				mustSucceed(t, r.Apply(t, timeoutOf("1s"), nil))
				if first == "updated" {
					mustSucceed(t, r.Apply(t, timeoutOf("2s"), nil))
				}
				r.write(t, "9s")
				wantError(t, r.Apply(t, config, nil), "was changed by another client")
				if got := storedIdle(t, r.others); got != "9s" {
					t.Errorf("%s before: stored %q, want what the other client wrote", first, got)
				}
			}
		})
	}
}

// laterRelease is a control plane that stores the documents of MeshTimeouts as they
// are sent, whatever is in them.
type laterRelease struct {
	http.Handler
	mu        sync.Mutex
	documents map[string]map[string]any // by path
}

func (l *laterRelease) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.URL.Path, "/meshtimeouts/") {
		l.Handler.ServeHTTP(w, r)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, exists := l.documents[r.URL.Path]
	status, answer := http.StatusOK, any(map[string]any{})
	switch {
	case r.Method == http.MethodPut:
		data, _ := io.ReadAll(r.Body)
		doc, _ := tree.DecodeJSON(data)
		l.documents[r.URL.Path], _ = doc.(map[string]any)
		if !exists {
			status = http.StatusCreated
		}
	case !exists:
		status, answer = http.StatusNotFound, map[string]any{"type": "/std-errors", "status": 404, "title": "Could not retrieve a resource", "detail": "Not found"}
	case r.Method == http.MethodDelete:
		delete(l.documents, r.URL.Path)
	default:
		answer = l.documents[r.URL.Path]
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// TestFieldsOfLaterRelease checks that fields of a later release of Kuma are reported,
// kept by updates if their place is clear, and never lost silently.
func TestFieldsOfLaterRelease(t *testing.T) {
	t.Parallel()
	const path = "/meshes/default/meshtimeouts/web"
	typed := func(idle string, more ...string) map[string]any {
		c := timeoutOf(idle)
		for _, kind := range more {
			entries := c["spec"].(map[string]any)["to"].([]any)
			c["spec"].(map[string]any)["to"] = append(entries, map[string]any{"target_ref": map[string]any{"kind": "MeshService", "name": kind}, "default": map[string]any{"idle_timeout": "1s"}})
		}
		return c
	}
	manifest := func(idle string, more ...string) map[string]any {
		doc := timeoutResource(idle).Document()
		spec := doc["spec"].(map[string]any)
		for _, name := range more {
			spec["to"] = append(spec["to"].([]any), map[string]any{"targetRef": map[string]any{"kind": "MeshService", "name": name}, "default": map[string]any{"idleTimeout": "1s"}})
		}
		return map[string]any{"manifest": doc}
	}
	for form, config := range map[string]func(string, ...string) map[string]any{"kuma_mesh_timeout": typed, "kuma_manifest": manifest} {
		for name, test := range map[string]struct {
			at   []any // of the object with the field
			kept bool  // when the entry changes
		}{
			"envelope": {nil, true},
			"spec":     {[]any{"spec"}, true},
			"entry":    {[]any{"spec", "to", 0}, false},
			"conf":     {[]any{"spec", "to", 0, "default"}, false},
		} {
			t.Run(form+"/"+name, func(t *testing.T) {
				t.Parallel()
				server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
				testworld.NoError(t, err)
				later := &laterRelease{Handler: server, documents: map[string]map[string]any{}}
				proxy := httptest.NewServer(later)
				t.Cleanup(proxy.Close)
				s := providertest.NewSession(t, form, map[string]any{"endpoint": proxy.URL})
				object := func() map[string]any {
					at := any(later.documents[path])
					for _, step := range test.at {
						switch here := at.(type) {
						case map[string]any:
							at = here[step.(string)]
						case []any:
							at = here[step.(int)]
						}
					}
					return at.(map[string]any)
				}
				mustSucceed(t, s.Apply(t, config("1s"), nil))
				object()["brandNew"] = map[string]any{"a": "b"}

				diags := s.Refresh(t)
				if providertest.HasErrors(diags) || !strings.Contains(said(diags), "does not know: ") || !strings.Contains(said(diags), "brandNew") {
					t.Errorf("the refresh says %q, want a warning with the name of the field", said(diags))
				}
				mustSucceed(t, s.Apply(t, config("1s", "more"), nil)) // leaves the entry alone
				if object()["brandNew"] == nil {
					t.Error("the field is lost")
				}
				diags = s.Apply(t, config("2s", "more"), nil)
				if test.kept {
					mustSucceed(t, diags)
				} else {
					wantError(t, diags, "brandNew")
				}
				if object()["brandNew"] == nil {
					t.Error("the field is lost")
				}
			})
		}
	}
}

// TestLostAnswerAboutOtherKind checks a document of an undescribed kind that is stored
// although the response is lost. What the control plane adds to it is not known.
func TestLostAnswerAboutOtherKind(t *testing.T) {
	t.Parallel()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	o := &providertest.OtherRelease{Version: "2.14.3", Server: server, Legacy: map[string]map[string]any{}}
	var puts atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && puts.Add(1) == 1 {
			o.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		o.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	s := providertest.NewSession(t, "kuma_manifest", map[string]any{"endpoint": proxy.URL})
	diags := s.Apply(t, map[string]any{"manifest": map[string]any{"type": "ExternalService", "mesh": "default", "name": "httpbin", "networking": map[string]any{"address": "httpbin.org:80"}}}, nil)
	if providertest.HasErrors(diags) || s.State().IsNull() || puts.Load() != 1 {
		t.Errorf("after %d PUT requests the apply says %q, and the state is %s; want one, and the resource in the state", puts.Load(), said(diags), s.State())
	}
}

// TestReadBackFails checks a document of an undescribed kind that is written but
// cannot be read back.
func TestReadBackFails(t *testing.T) {
	t.Parallel()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	o := &providertest.OtherRelease{Version: "2.14.3", Server: server, Legacy: map[string]map[string]any{}}
	var broken, written atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "external-services/") {
			if written.Load() && r.Method == http.MethodGet && broken.Load() {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			written.Store(written.Load() || r.Method == http.MethodPut)
		}
		o.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	s := providertest.NewSession(t, "kuma_manifest", map[string]any{"endpoint": proxy.URL})
	config := map[string]any{"manifest": map[string]any{"type": "ExternalService", "mesh": "default", "name": "httpbin", "networking": map[string]any{"address": "httpbin.org:80"}}}
	broken.Store(true)
	diags := s.Apply(t, config, nil)
	if providertest.HasErrors(diags) || s.State().IsNull() || !strings.Contains(said(diags), "was written, but reading it back failed") {
		t.Fatalf("the apply says %q, and the state is %s; want a warning, and the resource in the state", said(diags), s.State())
	}
	broken.Store(false)
	before := s.State()
	mustSucceed(t, s.Refresh(t))
	if !s.State().Equal(before) {
		t.Errorf("the refresh reads %s, want what was written, %s", s.State(), before)
	}
}

// TestTwoStatesCreateTheSameNames checks that two concurrent applies that create the
// same resources each have them in at most one state, and that the other one reports
// why.
func TestTwoStatesCreateTheSameNames(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const n = 60
	for name, conditional := range map[string]bool{"embedded": true, "without conditional requests": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, config := providertest.StartCounted(t)
			if !conditional {
				server.Disturb = func(_ http.ResponseWriter, r *http.Request) bool { r.Header.Del("If-None-Match"); return false }
			}
			home := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.SharedMesh})
			home.Must(t, "apply", "-auto-approve")
			policies := strings.Replace(providertest.ManyTimeouts(n), "kuma_mesh.shop.name", `"shop"`, 1)
			policies = policies[strings.Index(policies, "resource \"kuma_mesh_timeout\""):]
			states := []providertest.CLI{providertest.NewCLI(t, map[string]string{"main.tf": config + policies}), providertest.NewCLI(t, map[string]string{"main.tf": config + policies})}
			said := make([]string, len(states))
			for _, c := range states {
				c.Must(t, "plan", "-out=plan")
			}
			var wg sync.WaitGroup
			for i, c := range states {
				wg.Go(func() { said[i], _ = c.Run(t, "apply", "plan") })
			}
			wg.Wait()
			owners := map[string]int{}
			for i, c := range states {
				resources, _ := c.Run(t, "state", "list")
				for _, address := range slices.DeleteFunc(strings.Split(resources, "\n"), func(s string) bool { return !strings.HasPrefix(s, "kuma_mesh_timeout") }) {
					owners[address]++
				}
				t.Logf("state %d has %d policies", i, strings.Count(resources, "kuma_mesh_timeout"))
			}
			for address, states := range owners {
				if states > 1 {
					t.Errorf("%s is in both states", address)
				}
			}
			if len(owners) < n/2 || !strings.Contains(said[0]+said[1], "by another client") && !strings.Contains(said[0]+said[1], "already exists") {
				t.Errorf("%d of %d policies are in a state, and the applies say:\n%s\n%s", len(owners), n, said[0], said[1])
			}
		})
	}
}

package provider_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// The real control planes that the tests run on, from environment variables,
// which are then removed: a test that does not request a real control plane never
// reaches one.
var (
	realEndpoint = takeEnvironment("KUMA_ENDPOINT")
	realToken    = takeEnvironment("KUMA_TOKEN")

	// A global control plane and a zone that belongs to it.
	globalEndpoint = takeEnvironment("KUMA_GLOBAL_ENDPOINT")
	zoneEndpoint   = takeEnvironment("KUMA_ZONE_ENDPOINT")
)

func takeEnvironment(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name)
	return value
}

// realTurn serializes the tests on the real control plane, because all of them use the
// mesh "shop".
var realTurn sync.Mutex

// takeReal waits for its turn, and removes the resources of the test at its end. A
// development build of Kuma 3.0 creates no initial policies there, as the release.
func takeReal(t *testing.T, needs []requirement) testControlPlane {
	t.Helper()
	realTurn.Lock()
	t.Cleanup(realTurn.Unlock)
	config := fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n  token    = %q\n}\n", realEndpoint, realToken)
	cp := connect(t, controlplane.Config{Endpoint: realEndpoint, Token: realToken}, config)
	cp.endpoint = realEndpoint
	cp.skipUnless(t, needs)
	if err := awaitInitialResources(cp); err != nil {
		t.Fatal(err)
	}
	if cp.ControlPlane.Release.Kuma3() {
		cp.withoutInitialPolicies(t)
	}
	cp.initial = cp.keys(t)
	t.Cleanup(func() { cp.clean(t) })
	return cp
}

// awaitInitialResources waits once until a control plane that has just started
// has created its own resources, which takes a few seconds.
func awaitInitialResources(cp testControlPlane) error {
	settled.Do(func() {
		const quiet = 2 * time.Second
		var before map[kuma.Key]bool
		for range 30 {
			now, err := cp.stored(context.Background())
			if err != nil || len(now) > 0 && maps.Equal(before, now) {
				errSettled = err
				return
			}
			before = now
			time.Sleep(quiet)
		}
		errSettled = errors.New("the resources of the control plane change all the time: something else is using it")
	})
	return errSettled
}

var (
	settled    sync.Once
	errSettled error
)

// intercept puts a proxy in front of a real control plane, which calls a function before
// it passes on a response.
func (cp *testControlPlane) intercept(t *testing.T, response func(*http.Response) error) {
	t.Helper()
	target, err := url.Parse(cp.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		// Without X-Forwarded-For: with it, requests from localhost are not those of an administrator.
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: response,
	})
	t.Cleanup(server.Close)
	cp.config = strings.Replace(cp.config, cp.endpoint, server.URL, 1)
	cp.endpoint = server.URL
}

// withoutInitialPolicies deletes the policies that a development build of Kuma 3.0 creates
// with a mesh, which the release does not (release3.md §2).
func (cp *testControlPlane) withoutInitialPolicies(t *testing.T) {
	t.Helper()
	cp.intercept(t, func(r *http.Response) error {
		mesh, ok := strings.CutPrefix(r.Request.URL.Path, "/meshes/")
		if !ok || strings.Contains(mesh, "/") || r.StatusCode != http.StatusCreated {
			return nil
		}
		for _, k := range kinds.All() {
			for _, i := range k.Initial {
				err := cp.client.Delete(r.Request.Context(), k, mesh, fmt.Sprintf(i.Name, mesh))
				if notFound := (*controlplane.NotFoundError)(nil); err != nil && !errors.As(err, &notFound) {
					return err
				}
			}
		}
		return nil
	})
}

// requirement returns what a control plane lacks for a test, empty for nothing.
type requirement func(testControlPlane) string

// skipUnless skips a test if the control plane does not meet its requirements.
func (cp testControlPlane) skipUnless(t *testing.T, needs []requirement) {
	t.Helper()
	for _, missing := range needs {
		if why := missing(cp); why != "" {
			t.Skip(why)
		}
	}
}

// since is met by a release and all later ones.
func since(release string) requirement {
	return func(cp testControlPlane) string {
		if cp.ControlPlane.Release.Has(release) {
			return ""
		}
		return fmt.Sprintf("needs Kuma %s, and the control plane is %s", release, cp.ControlPlane.Release)
	}
}

// beforeKuma3 requires a release that has what Kuma 3.0 removed.
func beforeKuma3(cp testControlPlane) string {
	if cp.ControlPlane.Release.Kuma3() {
		return fmt.Sprintf("tests what Kuma 3.0 removed, and the control plane is %s", cp.ControlPlane.Release)
	}
	return ""
}

// writes requires that the control plane accepts resources of the kinds.
func writes(all ...def.Kind) requirement {
	return func(cp testControlPlane) string {
		var why []string
		for _, k := range all {
			for _, p := range cp.Problems(k, map[string]any{"type": k.Name}) {
				if len(p.Path) == 0 { // of the kind, not of a field that is missing
					why = append(why, p.Summary)
				}
			}
		}
		return strings.Join(why, ", ")
	}
}

// managesWorkloads is why no test creates a Workload on a real control plane.
const managesWorkloads = "a real control plane deletes a Workload without a Dataplane, and creates that of a Dataplane by itself"

// removedIn3 are arguments that tests set and that Kuma 3.0 does not have: it works without
// tags of inbounds, and creates no policies with a mesh.
var removedIn3 = regexp.MustCompile(`(?m)^ *(?:tags|skip_creating_initial_policies) *= .*\n|, tags = \{[^}]*\}`)

// adapted returns a configuration in the form of the release.
func (cp testControlPlane) adapted(config string) string {
	if cp.ControlPlane.Release.Kuma3() {
		return removedIn3.ReplaceAllString(config, "")
	}
	return config
}

// kind returns a kind as the control plane declares it: the paths of some have
// changed.
func (cp testControlPlane) kind(name string) def.Kind {
	k, _ := cp.Find(name)
	return k
}

// stored returns the keys of all resources of the kinds that the provider manages.
func (cp testControlPlane) stored(ctx context.Context) (map[kuma.Key]bool, error) {
	listed, err := cp.client.Kinds(ctx)
	if err != nil {
		return nil, err
	}
	keys := map[kuma.Key]bool{}
	for _, k := range listed {
		if _, managed := kinds.Find(k.Name); !managed {
			continue
		}
		resources, err := cp.client.List(ctx, cp.kind(k.Name), "")
		if err != nil {
			return nil, err
		}
		for _, r := range resources {
			keys[r.Key()] = true
		}
	}
	return keys, nil
}

func (cp testControlPlane) keys(t *testing.T) map[kuma.Key]bool {
	t.Helper()
	keys, err := cp.stored(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// isEmpty reports resources that did not exist before the test.
func (cp testControlPlane) isEmpty() error {
	keys, err := cp.stored(context.Background())
	if err != nil {
		return err
	}
	var left []string
	for key := range keys {
		if !cp.initial[key] {
			left = append(left, key.String())
		}
	}
	if left != nil {
		return fmt.Errorf("still there: %s", strings.Join(slices.Sorted(slices.Values(left)), ", "))
	}
	return nil
}

// clean deletes resources that did not exist before the test: first proxies, because a
// mesh with proxies cannot be deleted, then secrets, which survive their mesh, then
// meshes with their resources.
func (cp testControlPlane) clean(t *testing.T) {
	t.Helper()
	rank := func(key kuma.Key) int {
		return slices.Index([]string{kinds.Dataplane.Name, kinds.Secret.Name, kinds.Mesh.Name, key.Type}, key.Type)
	}
	keys := cp.keys(t)
	for _, key := range slices.SortedFunc(maps.Keys(keys), func(a, b kuma.Key) int { return rank(a) - rank(b) }) {
		made := kuma.Resource{Type: key.Type, Mesh: key.Mesh, Name: key.Name}
		if cp.initial[key] || kinds.ManagedBy(cp.kind(key.Type), made, nil, cp.ControlPlane) == kinds.ManagedByControlPlane { // the keys of a mesh go with it
			continue
		}
		err := cp.client.Delete(context.Background(), cp.kind(key.Type), key.Mesh, key.Name)
		if notFound := (*controlplane.NotFoundError)(nil); err != nil && !errors.As(err, &notFound) {
			t.Errorf("delete %s: %v", key, err)
		}
	}
}

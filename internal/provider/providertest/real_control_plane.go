package providertest

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
	RealEndpoint = takeEnvironment("KUMA_ENDPOINT")
	RealToken    = takeEnvironment("KUMA_TOKEN")

	// A global control plane and a zone that belongs to it.
	GlobalEndpoint = takeEnvironment("KUMA_GLOBAL_ENDPOINT")
	ZoneEndpoint   = takeEnvironment("KUMA_ZONE_ENDPOINT")
)

func takeEnvironment(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name)
	return value
}

// realTurn serializes the tests on the real control plane, because all of them use the
// mesh "shop".
var realTurn sync.Mutex

// TakeReal waits for its turn, and removes the resources of the test at its end. A
// development build of Kuma 3.0 creates no initial policies there, as the release.
func TakeReal(t *testing.T, needs []Requirement) ControlPlane {
	t.Helper()
	realTurn.Lock()
	t.Cleanup(realTurn.Unlock)
	config := fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n  token    = %q\n}\n", RealEndpoint, RealToken)
	cp := Connect(t, controlplane.Config{Endpoint: RealEndpoint, Token: RealToken}, config)
	cp.Endpoint = RealEndpoint
	cp.skipUnless(t, needs)
	if err := awaitInitialResources(cp); err != nil {
		t.Fatal(err)
	}
	if cp.ControlPlane.Release.Kuma3() {
		cp.withoutInitialPolicies(t)
	}
	cp.initial = cp.Keys(t)
	t.Cleanup(func() { cp.clean(t) })
	return cp
}

// awaitInitialResources waits once until a control plane that has just started
// has created its own resources, which takes a few seconds.
func awaitInitialResources(cp ControlPlane) error {
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

// Intercept puts a proxy in front of a real control plane, which calls a function before
// it passes on a response.
func (cp *ControlPlane) Intercept(t *testing.T, response func(*http.Response) error) {
	t.Helper()
	target, err := url.Parse(cp.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		// Without X-Forwarded-For: with it, requests from localhost are not those of an administrator.
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: response,
	})
	t.Cleanup(server.Close)
	cp.Config = strings.Replace(cp.Config, cp.Endpoint, server.URL, 1)
	cp.Endpoint = server.URL
}

// withoutInitialPolicies deletes the policies that a development build of Kuma 3.0 creates
// with a mesh, which the release does not (release3.md §2).
func (cp *ControlPlane) withoutInitialPolicies(t *testing.T) {
	t.Helper()
	cp.Intercept(t, func(r *http.Response) error {
		mesh, ok := strings.CutPrefix(r.Request.URL.Path, "/meshes/")
		if !ok || strings.Contains(mesh, "/") || r.StatusCode != http.StatusCreated {
			return nil
		}
		for _, k := range kinds.All() {
			for _, i := range k.Initial {
				err := cp.Client.Delete(r.Request.Context(), k, mesh, fmt.Sprintf(i.Name, mesh))
				if notFound := (*controlplane.NotFoundError)(nil); err != nil && !errors.As(err, &notFound) {
					return err
				}
			}
		}
		return nil
	})
}

// Requirement returns what a control plane lacks for a test, empty for nothing.
type Requirement func(ControlPlane) string

// skipUnless skips a test if the control plane does not meet its requirements.
func (cp ControlPlane) skipUnless(t *testing.T, needs []Requirement) {
	t.Helper()
	for _, missing := range needs {
		if why := missing(cp); why != "" {
			t.Skip(why)
		}
	}
}

// Since is met by a release and all later ones.
func Since(release string) Requirement {
	return func(cp ControlPlane) string {
		if cp.ControlPlane.Release.Has(release) {
			return ""
		}
		return fmt.Sprintf("needs Kuma %s, and the control plane is %s", release, cp.ControlPlane.Release)
	}
}

// BeforeKuma3 requires a release that has what Kuma 3.0 removed.
func BeforeKuma3(cp ControlPlane) string {
	if cp.ControlPlane.Release.Kuma3() {
		return fmt.Sprintf("tests what Kuma 3.0 removed, and the control plane is %s", cp.ControlPlane.Release)
	}
	return ""
}

// Writes requires that the control plane accepts resources of the kinds.
func Writes(all ...def.Kind) Requirement {
	return func(cp ControlPlane) string {
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

// ManagesWorkloads is why no test creates a Workload on a real control plane.
const ManagesWorkloads = "a real control plane deletes a Workload without a Dataplane, and creates that of a Dataplane by itself"

// removedIn3 are arguments that tests set and that Kuma 3.0 does not have: it works without
// tags of inbounds, and creates no policies with a mesh.
var removedIn3 = regexp.MustCompile(`(?m)^ *(?:tags|skip_creating_initial_policies) *= .*\n|, tags = \{[^}]*\}`)

// Adapted returns a configuration in the form of the release.
func (cp ControlPlane) Adapted(config string) string {
	if cp.ControlPlane.Release.Kuma3() {
		return removedIn3.ReplaceAllString(config, "")
	}
	return config
}

// Kind returns a kind as the control plane declares it: the paths of some have
// changed.
func (cp ControlPlane) Kind(name string) def.Kind {
	k, _ := cp.Find(name)
	return k
}

// stored returns the keys of all resources of the kinds that the provider manages.
func (cp ControlPlane) stored(ctx context.Context) (map[kuma.Key]bool, error) {
	listed, err := cp.Client.Kinds(ctx)
	if err != nil {
		return nil, err
	}
	keys := map[kuma.Key]bool{}
	for _, k := range listed {
		if _, managed := kinds.Find(k.Name); !managed {
			continue
		}
		resources, err := cp.Client.List(ctx, cp.Kind(k.Name), "")
		if err != nil {
			return nil, err
		}
		for _, r := range resources {
			keys[r.Key()] = true
		}
	}
	return keys, nil
}

func (cp ControlPlane) Keys(t *testing.T) map[kuma.Key]bool {
	t.Helper()
	keys, err := cp.stored(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// IsEmpty reports resources that did not exist before the test.
func (cp ControlPlane) IsEmpty() error {
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
func (cp ControlPlane) clean(t *testing.T) {
	t.Helper()
	rank := func(key kuma.Key) int {
		return slices.Index([]string{kinds.Dataplane.Name, kinds.Secret.Name, kinds.Mesh.Name, key.Type}, key.Type)
	}
	keys := cp.Keys(t)
	for _, key := range slices.SortedFunc(maps.Keys(keys), func(a, b kuma.Key) int { return rank(a) - rank(b) }) {
		made := kuma.Resource{Type: key.Type, Mesh: key.Mesh, Name: key.Name}
		if cp.initial[key] || kinds.ManagedBy(cp.Kind(key.Type), made, nil, cp.ControlPlane) == kinds.ManagedByControlPlane { // the keys of a mesh go with it
			continue
		}
		err := cp.Client.Delete(context.Background(), cp.Kind(key.Type), key.Mesh, key.Name)
		if notFound := (*controlplane.NotFoundError)(nil); err != nil && !errors.As(err, &notFound) {
			t.Errorf("delete %s: %v", key, err)
		}
	}
}

// DeleteSecrets deletes the secrets that did not exist before the test.
func (cp ControlPlane) DeleteSecrets(t *testing.T) {
	t.Helper()
	for key := range cp.Keys(t) {
		if k := cp.Kind(key.Type); !cp.initial[key] && len(k.SecretFields()) > 0 {
			if err := cp.Client.Delete(context.Background(), k, key.Mesh, key.Name); err != nil {
				t.Error(err)
			}
		}
	}
}

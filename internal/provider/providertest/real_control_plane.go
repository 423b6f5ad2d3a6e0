package providertest

import (
	"cmp"
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
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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

// TakeReal waits for its turn, and for a control plane without resources of other tests. It
// removes those of the test at its end. A development build of Kuma 3.0 creates no initial
// policies there, as the release.
func TakeReal(t *testing.T, needs []Requirement) ControlPlane {
	t.Helper()
	realTurn.Lock()
	t.Cleanup(realTurn.Unlock)
	config := fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n  token    = %q\n}\n", RealEndpoint, RealToken)
	cp := Connect(t, controlplane.Config{Endpoint: RealEndpoint, Token: RealToken}, config)
	cp.Endpoint = RealEndpoint
	cp.skipUnless(t, needs)
	settled.Do(func() { initial, errSettled = cp.settle() })
	if errSettled != nil {
		t.Fatal(errSettled)
	}
	if cp.ControlPlane.Release.Kuma3() {
		cp.withoutInitialPolicies(t)
	}
	cp.initial = initial
	cp.clean(t) // of what the control plane generated late
	t.Cleanup(func() {
		cp.clean(t)
		_, err := cp.Client.Get(context.Background(), kinds.Mesh, "", kuma.DefaultMesh)
		if err != nil && initial[kuma.MeshKey(kuma.DefaultMesh)] {
			t.Errorf("other tests need the mesh that a new control plane has: %v", err)
		}
	})
	return cp
}

// settle returns the resources of a new control plane, which creates them in a few seconds.
func (cp ControlPlane) settle() (map[kuma.Key]bool, error) {
	const quiet = 2 * time.Second
	var before map[kuma.Key]bool
	for range 30 {
		now, err := cp.stored(context.Background())
		if err != nil {
			return nil, err
		}
		for key := range now {
			if mesh := cmp.Or(key.Mesh, key.Name); mesh != "default" && (key.Mesh != "" || key.Type == kinds.Mesh.Name) {
				return nil, fmt.Errorf("the control plane at %s is not a new one: it has %s", RealEndpoint, key)
			}
		}
		if len(now) > 0 && maps.Equal(before, now) {
			return now, nil
		}
		before = now
		time.Sleep(quiet)
	}
	return nil, errors.New("the resources of the control plane change all the time: something else is using it")
}

// initial are the resources of the control plane before the first test.
var (
	settled    sync.Once
	initial    map[kuma.Key]bool
	errSettled error
)

// Intercept puts a proxy in front of a real control plane, which calls a function before
// it passes on a response.
func (cp *ControlPlane) Intercept(t *testing.T, response func(*http.Response) error) {
	t.Helper()
	target, err := url.Parse(cp.Endpoint)
	testworld.NoError(t, err)
	server := httptest.NewServer(&httputil.ReverseProxy{
		// Without X-Forwarded-For: with it, a control plane does not take requests from localhost for those of an administrator.
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

// Put writes resources as another client.
func (cp ControlPlane) Put(tb testing.TB, resources ...kuma.Resource) {
	tb.Helper()
	for _, r := range resources {
		_, _, err := cp.Client.Put(tb.Context(), cp.Kind(r.Type), r)
		testworld.NoError(tb, err)
	}
}

// stored returns the keys of all resources that clients may write, also of kinds that the
// provider does not describe.
func (cp ControlPlane) stored(ctx context.Context) (map[kuma.Key]bool, error) {
	keys := map[kuma.Key]bool{}
	for _, k := range cp.Manageable() {
		resources, err := cp.Client.List(ctx, k, "")
		if err != nil {
			return nil, err
		}
		for _, r := range resources {
			keys[r.Key()] = true
		}
	}
	return keys, nil
}

// Keys returns the resources that are stored.
func (cp ControlPlane) Keys(t *testing.T) map[kuma.Key]bool {
	t.Helper()
	keys, err := cp.stored(context.Background())
	testworld.NoError(t, err)
	return keys
}

// added returns the resources that did not exist before the test.
func (cp ControlPlane) added() ([]kuma.Key, error) {
	keys, err := cp.stored(context.Background())
	maps.DeleteFunc(keys, func(key kuma.Key, _ bool) bool { return cp.initial[key] })
	return slices.Collect(maps.Keys(keys)), err
}

// IsEmpty reports resources that did not exist before the test.
func (cp ControlPlane) IsEmpty() error {
	keys, err := cp.added()
	if err != nil {
		return err
	}
	if left := phrase.Each(keys, kuma.Key.String); len(left) > 0 {
		slices.Sort(left)
		return fmt.Errorf("still there: %s", strings.Join(left, ", "))
	}
	return nil
}

// clean deletes resources that did not exist before the test, until there are none: what
// survives its mesh or is in use can be deleted later only, and the control plane generates
// some resources after a delay.
func (cp ControlPlane) clean(t *testing.T) {
	t.Helper()
	var failed error
	for range 20 {
		left, err := cp.added()
		testworld.NoError(t, err)
		if len(left) == 0 {
			return
		}
		if failed = cp.deleteAll(left); failed != nil {
			time.Sleep(500 * time.Millisecond)
		}
	}
	t.Fatal(cp.IsEmpty(), failed)
}

// deleteAll deletes resources: first proxies, because a mesh with proxies cannot be deleted,
// then what has survived its mesh, which can only be deleted in a mesh with that name, then
// meshes with their resources.
func (cp ControlPlane) deleteAll(keys []kuma.Key) error {
	var errs []error
	survives := func(key kuma.Key) bool {
		mesh := kuma.Key{Type: kinds.Mesh.Name, Name: key.Mesh}
		return key.Mesh != "" && !cp.initial[mesh] && !slices.Contains(keys, mesh)
	}
	rank := func(key kuma.Key) int {
		if survives(key) {
			return 1
		}
		return slices.Index([]string{kinds.Dataplane.Name, "", kinds.Mesh.Name, key.Type}, key.Type)
	}
	slices.SortStableFunc(keys, func(a, b kuma.Key) int { return rank(a) - rank(b) })
	for _, key := range keys {
		if survives(key) {
			mesh := kuma.Resource{Type: kinds.Mesh.Name, Name: key.Mesh, Body: map[string]any{}}
			_, _, err := cp.Client.Put(context.Background(), kinds.Mesh, mesh)
			errs = append(errs, err)
		}
		err := cp.Client.Delete(context.Background(), cp.Kind(key.Type), key.Mesh, key.Name)
		if _, gone := errors.AsType[*controlplane.NotFoundError](err); err != nil && !gone {
			errs = append(errs, fmt.Errorf("delete %s: %w", key, err))
		}
	}
	return errors.Join(errs...)
}

// AwaitGenerator waits until a real control plane has generated the MeshServices of all
// meshes. It sees that by three Dataplanes of another mesh, one after the other, each of which takes another run:
// the first run may read what the control plane has cached of a mesh, and the last one may not have come to it.
func (cp ControlPlane) AwaitGenerator(t *testing.T) {
	t.Helper()
	if RealEndpoint == "" {
		return
	}
	const mesh = "generator"
	Put(t, cp.Client, kuma.Resource{
		Type: kinds.Mesh.Name, Name: mesh,
		Body: map[string]any{"meshServices": map[string]any{"mode": "Everywhere"}},
	})
	keys := []kuma.Key{kuma.MeshKey(mesh)}
	for _, name := range []string{"first", "second", "third"} {
		inbound := map[string]any{"port": 80, "tags": map[string]any{"kuma.io/service": name}}
		proxy := kuma.Resource{Type: kinds.Dataplane.Name, Mesh: mesh, Name: name, Body: map[string]any{
			"networking": map[string]any{"address": "10.0.0.1", "inbound": []any{inbound}},
		}}
		Put(t, cp.Client, proxy)
		keys = append(keys, proxy.Key())
		Await(t, "the control plane generates MeshServices", func() bool {
			_, err := cp.Client.Get(t.Context(), cp.Kind(kinds.MeshService.Name), mesh, name)
			return err == nil
		})
	}
	testworld.NoError(t, cp.deleteAll(keys))
}

// DeleteSecrets deletes the secrets that did not exist before the test.
func (cp ControlPlane) DeleteSecrets(t *testing.T) {
	t.Helper()
	keys, err := cp.added()
	testworld.NoError(t, err)
	for _, key := range keys {
		if k := cp.Kind(key.Type); len(k.SecretFields()) > 0 {
			if err := cp.Client.Delete(context.Background(), k, key.Mesh, key.Name); err != nil {
				t.Error(err)
			}
		}
	}
}

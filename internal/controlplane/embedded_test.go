package controlplane_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const (
	defaultMesh = `{"type":"Mesh","name":"default","skipCreatingInitialPolicies":["*"]}`
	webTimeout  = `{"type":"MeshTimeout","mesh":"default","name":"web","labels":{"team":"shop"},"spec":{"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"60s"}}]}}`
)

// TestOnEmbedded drives the embedded control plane in process and through a
// real connection: both must behave the same.
func TestOnEmbedded(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(*testing.T, *embedded.Server) controlplane.Config{
		"in process": func(_ *testing.T, s *embedded.Server) controlplane.Config {
			return controlplane.Config{Endpoint: "http://embedded", Transport: s.Transport()}
		},
		"on a port": func(t *testing.T, s *embedded.Server) controlplane.Config {
			t.Helper()
			l := httptest.NewServer(s)
			t.Cleanup(l.Close)
			return controlplane.Config{Endpoint: l.URL}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()})
			testworld.NoError(t, err)
			c := client(t, connect(t, s))
			t.Run("discover", func(t *testing.T) { discover(t, c) })
			t.Run("life of a resource", func(t *testing.T) { live(t, c) })
			t.Run("overviews", func(t *testing.T) { overviews(t, c) })
			t.Run("refusals", func(t *testing.T) { refuse(t, c) })
		})
	}
}

func discover(t *testing.T, c *controlplane.Client) {
	t.Helper()
	info, err := c.Discover(t.Context())
	want := controlplane.Info{
		ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: kuma.Release{Major: 2, Minor: 14, Patch: 3}},
		Product:      "Kuma", Version: "2.14.3-embedded",
	}
	if diff := cmp.Diff(want, info); err != nil || diff != "" {
		t.Errorf("Discover() error %v (-want +got):\n%s", err, diff)
	}
	known, err := c.Kinds(t.Context())
	if err != nil || len(known) != len(kinds.All()) {
		t.Errorf("Kinds() = %d kinds, %v, want %d", len(known), err, len(kinds.All()))
	}
	for i, k := range kinds.All() {
		want := controlplane.ListedKind{Kind: def.Kind{Name: k.Name, Path: k.Path, ShortName: k.ShortName, Scope: k.Scope}}
		testworld.Equal(t, fmt.Sprintf("Kinds()[%d]", i), want, known[i])
	}
}

func overviews(t *testing.T, c *controlplane.Client) {
	t.Helper()
	for _, document := range []string{
		`{"type":"Mesh","name":"overviews","skipCreatingInitialPolicies":["*"]}`,
		`{"type":"Dataplane","mesh":"overviews","name":"web","networking":{"address":"10.0.0.1","inbound":[{"port":80,"tags":{"kuma.io/service":"web"}}]}}`,
	} {
		r := testworld.Resource(t, document)
		k, _ := kinds.Find(r.Type)
		if _, _, err := c.Put(t.Context(), k, r); err != nil {
			t.Fatal(err)
		}
	}
	var names []any
	for o, err := range c.Overviews(t.Context(), kinds.Dataplane, "overviews") {
		testworld.NoError(t, err)
		names = append(names, o.Document["type"], o.Document["name"])
	}
	testworld.Equal(t, "Overviews()", []any{"DataplaneOverview", "web"}, names)
	var notFound *controlplane.NotFoundError
	for _, err := range c.Overviews(t.Context(), kinds.Dataplane, "missing") {
		if !errors.As(err, &notFound) || !notFound.Mesh {
			t.Errorf("the error about a missing mesh is %v", err)
		}
	}
	for _, err := range c.Overviews(t.Context(), def.Kind{Name: "Widget", Path: "widgets"}, "") {
		if _, ok := errors.AsType[*controlplane.UnknownKindError](err); !ok {
			t.Errorf("the error about an unknown kind is %v", err)
		}
	}
}

func live(t *testing.T, c *controlplane.Client) {
	t.Helper()
	web := testworld.Resource(t, webTimeout)
	store(t, c, kinds.Mesh, testworld.Resource(t, defaultMesh), true)
	store(t, c, kinds.MeshTimeout, web, true)
	got, err := c.Get(t.Context(), kinds.MeshTimeout, "default", "web")
	testworld.NoError(t, err)
	want := kinds.MeshTimeout.Store(web, def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}})
	want.CreationTime, want.ModificationTime = got.CreationTime, got.ModificationTime
	if diff := cmp.Diff(want, got); diff != "" || got.CreationTime.IsZero() {
		t.Errorf("Get() (-want +got):\n%s", diff)
	}
	store(t, c, kinds.MeshTimeout, got, false)
	if err := c.Delete(t.Context(), kinds.MeshTimeout, "default", "web"); err != nil {
		t.Error(err)
	}
	var gone *controlplane.NotFoundError
	if err := c.Delete(t.Context(), kinds.MeshTimeout, "default", "web"); !errors.As(err, &gone) || gone.Mesh {
		t.Errorf("second Delete() = %v, want a NotFoundError of the resource", err)
	}
	if _, err := c.Get(t.Context(), kinds.MeshTimeout, "default", "web"); !errors.As(err, &gone) || gone.Mesh {
		t.Errorf("Get() = %v, want a NotFoundError of the resource", err)
	}
	if _, err := c.List(t.Context(), kinds.MeshTimeout, "nowhere"); !errors.As(err, &gone) || !gone.Mesh {
		t.Errorf("List() = %v, want a NotFoundError of the mesh", err)
	}
}

func refuse(t *testing.T, c *controlplane.Client) {
	t.Helper()
	broken := testworld.Resource(t, webTimeout)
	broken.Body = map[string]any{"spec": map[string]any{"to": "none"}}
	_, _, err := c.Put(t.Context(), kinds.MeshTimeout, broken)
	var invalid *controlplane.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) != 1 || invalid.Violations[0].Field != "spec.to" {
		t.Errorf("Put() = %v, want an InvalidError on spec.to", err)
	}
	broken.Body = map[string]any{}
	_, _, err = c.Put(t.Context(), kinds.MeshTimeout, broken)
	if !errors.As(err, &invalid) || len(invalid.Violations) != 1 || invalid.Violations[0].Field != "spec" {
		t.Errorf("Put() without spec = %v, want an InvalidError on spec", err)
	}
	var unknown *controlplane.UnknownKindError
	if _, err := c.Get(t.Context(), def.Kind{Name: "Retry", Path: "retries"}, "default", "a"); !errors.As(err, &unknown) {
		t.Errorf("Get() of an unknown kind = %v, want an UnknownKindError", err)
	}
	for _, name := range []string{"", ".", "..", "../meshes/default", "a/b"} {
		if err := c.Delete(t.Context(), kinds.MeshTimeout, "default", name); !errors.As(err, &invalid) {
			t.Errorf("Delete(%q) = %v, want an InvalidError", name, err)
		}
	}
}

// TestAdviceOfTheEmbeddedControlPlane checks that errors in process do not mention a
// server, and that they name the invalid file in both cases.
func TestAdviceOfTheEmbeddedControlPlane(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]func(*testing.T, *controlplane.Client) error{
		"broken file": func(t *testing.T, c *controlplane.Client) error {
			t.Helper()
			_, err := c.Get(t.Context(), kinds.Mesh, "", "default")
			return err
		},
		"write over a broken file": func(t *testing.T, c *controlplane.Client) error {
			t.Helper()
			_, _, err := c.Put(t.Context(), kinds.Mesh, testworld.Resource(t, defaultMesh))
			return err
		},
		"unknown kind": func(t *testing.T, c *controlplane.Client) error {
			t.Helper()
			_, err := c.Get(t.Context(), def.Kind{Name: "Retry", Path: "retries"}, "default", "a")
			return err
		},
		"no product": func(t *testing.T, c *controlplane.Client) error {
			t.Helper()
			_, err := c.Discover(t.Context())
			return err
		},
		"no answer": func(t *testing.T, c *controlplane.Client) error {
			t.Helper()
			_, err := c.Kinds(t.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := embedded.New(embedded.Config{Directory: dir, Release: kuma.Newest2()})
			testworld.NoError(t, err)
			file := filepath.Join(dir, "meshes", "default.yaml")
			testworld.NoError(t, os.Mkdir(filepath.Dir(file), 0o755))
			testworld.NoError(t, os.WriteFile(file, []byte("type: Mesh\nname: default\nmtsl: {}\n"), 0o600))
			for _, inProcess := range []bool{true, false} {
				c := client(t, controlplane.Config{Endpoint: "http://embedded", Transport: faulty{s.Transport()}, MaxRetries: -1, InProcess: inProcess})
				err := request(t, c)
				if err == nil {
					t.Fatal("no error")
				}
				elsewhere := false
				for _, word := range []string{"server", "endpoint", "log of", "proxy", "the network", "http://"} {
					elsewhere = elsewhere || strings.Contains(err.Error(), word)
				}
				if elsewhere == inProcess {
					t.Errorf("in process %t: %v", inProcess, err)
				}
				if strings.Contains(name, "broken file") && !strings.Contains(err.Error(), file+":3: mtsl: ") {
					t.Errorf("in process %t: %v, want the file and line", inProcess, err)
				}
			}
		})
	}
}

// faulty has no product in its index, and fails for other paths.
type faulty struct{ http.RoundTripper }

func (f faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	switch r.URL.Path {
	case "/":
		r = r.Clone(r.Context())
		r.URL.Path = "/config"
	case "/_resources":
		return nil, errors.New("out of memory")
	}
	return f.RoundTripper.RoundTrip(r)
}

// TestList reads several pages, of one mesh and of all, from a server whose
// links cannot be reached.
func TestList(t *testing.T) {
	t.Parallel()
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	c := client(t, controlplane.Config{Endpoint: "http://embedded", Transport: smallPages{s.Transport()}})
	var want []string
	for _, m := range []string{"a", "b"} {
		store(t, c, kinds.Mesh, kuma.Resource{Type: "Mesh", Name: m, Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}}, true)
		for i := range 5 {
			r := testworld.Resource(t, webTimeout)
			r.Mesh, r.Name = m, fmt.Sprintf("web-%d", i)
			store(t, c, kinds.MeshTimeout, r, true)
			want = append(want, r.Key().String())
		}
	}
	for meshName, want := range map[string][]string{"a": want[:5], "b": want[5:], "": want} {
		list, err := c.List(t.Context(), kinds.MeshTimeout, meshName)
		testworld.NoError(t, err)
		got := phrase.Each(list, func(r kuma.Resource) string { return r.Key().String() })
		testworld.Equal(t, fmt.Sprintf("List(%q)", meshName), want, got)
	}
}

// smallPages turns every page into one of two, so that few resources make many
// pages, and shifts the second page back by one, as a deletion meanwhile does.
type smallPages struct{ http.RoundTripper }

func (p smallPages) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = "out-of-reach.example"
	if q := r.URL.Query(); q.Has("size") {
		q.Set("size", "2")
		if q.Get("offset") == "2" {
			q.Set("offset", "1")
		}
		r.URL.RawQuery = q.Encode()
	}
	return p.RoundTripper.RoundTrip(r)
}

func store(t *testing.T, c *controlplane.Client, k def.Kind, r kuma.Resource, wantCreated bool) {
	t.Helper()
	outcome, warnings, err := c.Put(t.Context(), k, r)
	created := outcome == controlplane.Created
	if err != nil || created != wantCreated || warnings != nil {
		t.Fatalf("Put(%s) = %t, %q, %v, want %t", r.Key(), created, warnings, err, wantCreated)
	}
}

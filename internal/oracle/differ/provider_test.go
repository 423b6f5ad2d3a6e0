package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// The test binary is also a fake terraform, when this variable is set.
const fakeTerraform = "TEST_FAKE_TERRAFORM"

func TestMain(m *testing.M) {
	if os.Getenv(fakeTerraform) == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "show":
		fmt.Println(`{
  "planned_values": {"outputs": {"planned": {"value": {"dp": "{}"}}, "unknown": {}}},
  "resource_changes": [
    {"address": "kuma_mesh.m", "change": {"actions": ["no-op"]}},
    {"address": "kuma_dataplane.dp", "change": {"actions": ["update"]}}
  ]
}`)
	case "apply":
		fmt.Fprintln(os.Stderr, "Error: the mesh is gone")
		os.Exit(1)
	}
}

func TestTerraform(t *testing.T) {
	t.Setenv(fakeTerraform, "1")
	self, err := os.Executable()
	testworld.NoError(t, err)
	dir := t.TempDir()
	cli, err := newTerraform(self, dir, dir)
	testworld.NoError(t, err)
	got, err := cli.plan(t.Context(), dir, "x.tfplan")
	testworld.NoError(t, err)
	want := plan{outputs: map[string]map[string]string{"planned": {"dp": "{}"}, "unknown": nil}, changes: []string{"kuma_dataplane.dp: [update]"}}
	testworld.Equal(t, "plan", want, got, cmp.AllowUnexported(plan{}))
	var failed *commandError
	if err := cli.apply(t.Context(), dir, "x.tfplan"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "the mesh is gone") {
		t.Errorf("apply: got %v, want what the command says", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cli.apply(ended, dir, "x.tfplan"); !errors.Is(err, context.Canceled) {
		t.Errorf("apply after an interrupt: %v", err)
	}
}

// TestProviderRules compares the results of the provider for each dataplane, as planned
// and as stored.
func TestProviderRules(t *testing.T) {
	t.Parallel()
	s := fakeSite(t, func(map[string]any) {})
	ctx, world := t.Context(), testworld.Resources(t, smallWorld)
	d := &oracle.Deployment{Sites: []*oracle.Site{s}}
	if _, rejected, err := store(ctx, d, world); err != nil || len(rejected) > 0 {
		t.Fatal(err, rejected)
	}
	actual, err := s.Rules(ctx, "m", "dp")
	testworld.NoError(t, err)
	right := rulesText(t, actual)
	answer, _ := actual.(map[string]any)
	list, _ := answer["rules"].([]any)
	answer["rules"] = slices.Clone(list[1:])
	wrong := rulesText(t, answer)
	c := &providerComparison{Deployment: d}
	var got providerResult
	for _, said := range []struct{ planned, stored string }{{right, right}, {wrong, right}, {right, wrong}} {
		result, err := c.compareRules(ctx, world, map[string]string{"dp": said.planned}, map[string]string{"dp": said.stored})
		testworld.NoError(t, err)
		got.result.add(result)
	}
	if got.compared != 3 || got.differentFor(asPlanned) != 1 || got.differentFor(asStored) != 1 || len(got.findings) != 2 {
		t.Errorf("got %s", got)
	}
	if _, err := c.compareRules(ctx, world, nil, map[string]string{"dp": right}); err == nil {
		t.Error("rules that are unknown during the plan do not cause an error")
	}
}

func rulesText(t *testing.T, answer any) string {
	t.Helper()
	data, err := json.Marshal(answer)
	testworld.NoError(t, err)
	return string(data)
}

// TestComparisonHasNoInitialPolicies checks that what a development build of Kuma 3.0
// creates with a mesh does not take part in the comparison, and everything else does.
func TestComparisonHasNoInitialPolicies(t *testing.T) {
	t.Parallel()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.ParseRelease("3.0")})
	testworld.NoError(t, err)
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	s, err := oracle.Connect(t.Context(), listener.URL)
	testworld.NoError(t, err)
	put := func(r kuma.Resource) {
		if reason, err := s.Put(t.Context(), r); err != nil || reason != "" {
			t.Fatal(r.Key(), reason, err)
		}
	}
	put(kuma.Resource{Type: kuma.KindMesh, Name: "m", Body: map[string]any{}})
	for _, i := range kinds.MeshTimeout.Initial {
		if !i.Preview {
			continue
		}
		spec := testworld.Document(t, i.Spec)
		put(kuma.Resource{Type: "MeshTimeout", Mesh: "m", Name: fmt.Sprintf(i.Name, "m"), Body: map[string]any{"spec": spec}})
		put(kuma.Resource{Type: "MeshTimeout", Mesh: "m", Name: "own-" + fmt.Sprintf(i.Name, "m"), Body: map[string]any{"spec": spec}})
	}
	testworld.NoError(t, withoutInitial(t.Context(), s, "m"))
	stored, err := s.Stored(t.Context(), "m")
	testworld.NoError(t, err)
	names := phrase.Each(stored, func(r kuma.Resource) string { return r.Name })
	testworld.Equal(t, "resources of the comparison", []string{"m", "own-mesh-timeout-all-m", "own-mesh-timeout-to-all-m"}, names)
}

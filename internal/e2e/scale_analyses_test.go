package e2e_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// analysis is a configuration with one data source.
type analysis struct {
	name, config string

	// Limits of the processor time and memory in MB of the provider for 10,000 policies and
	// 2,000 services.
	cpu  time.Duration
	peak float64
	// Limit of the bytes of state for each service, zero if it is 1 MB for all.
	destination int
}

// analyses are those that TestAnalysesOfLargeMeshes measures. The last contains the whole mesh.
func analyses() []analysis {
	impact := func(destination string) string {
		return fmt.Sprintf(`
data "kuma_policy_impact" "new" {
  planned = [{
    type = "MeshTimeout"
    mesh = "default"
    name = "new"
    spec = { to = [{ targetRef = { kind = %s }, default = { http = { requestTimeout = "90s" } } }] }
  }]
}`, destination)
	}
	return []analysis{
		{"`kuma_policy_impact` of a policy for one service", impact(`"MeshService", name = "service-1"`), 4 * time.Second, 300, 0},
		{"`kuma_policy_impact` of a policy for every destination", impact(`"Mesh"`), 5 * time.Second, 300, 0},
		{"`kuma_policy_impact` of an upgrade to Kuma 3.0", "data \"kuma_policy_impact\" \"all\" {\n  kuma_version = \"3.0\"\n}", 14 * time.Second, 600, 0},
		{"`kuma_mesh_lint`", `data "kuma_mesh_lint" "all" {}`, 7 * time.Second, 300, 0},
		{"`kuma_effective_rules` of one proxy", "data \"kuma_effective_rules\" \"one\" {\n  dataplane = \"dp-0\"\n}", 1500 * time.Millisecond, 200, 1100},
		{"`kuma_effective_rules` of all proxies", "data \"kuma_effective_rules\" \"all\" {\n  dataplanes {}\n}", 6 * time.Second, 200, 0},
		{"`kuma_access`", `data "kuma_access" "all" {}`, time.Second, 150, 0},
		{"`kuma_request`", "data \"kuma_request\" \"one\" {\n  dataplane = \"dp-0\"\n  service   = \"service-1\"\n  path      = \"/7\"\n}", time.Second, 150, 0},
		{configurationOfAll, providertest.AllConfiguration, 18 * time.Second, 300, 0},
	}
}

const configurationOfAll = "`kuma_resources` with configuration"

// TestAnalysesOfLargeMeshes measures whole plans that analyze large meshes.
func TestAnalysesOfLargeMeshes(t *testing.T) {
	providertest.NeedCLI(t)
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes minutes; `make bench` sets KUMA_SCALE")
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-52s %-15s %-9s %8s %8s %13s %13s %11s\n", "data source", "mesh", "provider", "requests", "wall", "provider CPU", "provider RSS", "state")
	defer func() { t.Log(table.String()) }()
	most := providertest.Size(0)
	costs := map[string]map[testworld.Size]time.Duration{} // processor time by name of the analysis
	for _, s := range testworld.LargeSizes() {
		if max(s.Policies, s.Dataplanes) > most {
			continue
		}
		t.Run(s.String(), func(t *testing.T) {
			server, config := providertest.StartCounted(t)
			providertest.PutDocuments(t, server, acceptedMesh(s))
			for _, a := range analyses() {
				if costs[a.name] == nil {
					costs[a.name] = map[testworld.Size]time.Duration{}
				}
				m := a.measure(t, server, config, s, &table)
				costs[a.name][s] = m.CPU
				if s.Policies == 10_000 && (m.CPU > a.cpu || m.Peak > a.peak) {
					t.Errorf("%s: %s of processor time and %.0f MB, want at most %s and %.0f MB", a.name, m.CPU, m.Peak, a.cpu, a.peak)
				}
			}
		})
	}
	small := testworld.Size{Policies: 1_000, Services: 200, Dataplanes: 200}
	for _, a := range analyses() {
		cost := costs[a.name]
		logGrowth(t, a.name+", policies and services", 10, cost[small], cost[testworld.Size{Policies: 10_000, Services: 2_000, Dataplanes: 200}])
		logGrowth(t, a.name+", dataplanes", 50, cost[small], cost[testworld.Size{Policies: 1_000, Services: 200, Dataplanes: 10_000}])
	}
}

// measure returns what this provider takes. It adds it to the table, and what the provider that
// KUMA_BASELINE names takes if that supports the analysis.
func (a analysis) measure(t *testing.T, server *providertest.Counted, config string, s testworld.Size, table io.Writer) (own providertest.Measured) {
	t.Helper()
	for i, p := range providertest.Programs(t) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + a.config})
		m, err := c.TryMeasure(t, server, p, "apply", "-auto-approve")
		if err != nil && i > 0 {
			t.Logf("%s, %s: not measured: %v", a.name, p.Name, err)
			continue
		}
		testworld.NoError(t, err)
		state, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
		testworld.NoError(t, err)
		fmt.Fprintf(table, "%-52s %-15s %-9s %8d %7.1fs %12.2fs %10.0f MB %8d KB\n", a.name, s, p.Name, m.Requests, m.Wall.Seconds(), m.CPU.Seconds(), m.Peak, len(state)/1000)
		if i == 0 {
			own = m
			if most := max(1_000_000, a.destination*s.Services); len(state) > most && a.name != configurationOfAll {
				t.Errorf("%s: %d bytes of state, want at most %d", a.name, len(state), most)
			}
		}
	}
	return own
}

// logGrowth prints the exponent with which the processor time of a provider grows, unless
// one of both times was not measured. It includes the start of the provider.
func logGrowth(t *testing.T, what string, times float64, small, large time.Duration) {
	t.Helper()
	if small > 0 && large > 0 {
		t.Logf("%s: provider CPU grows with n^%.2f from n to %gn", what, math.Log(large.Seconds()/small.Seconds())/math.Log(times), times)
	}
}

// acceptedMesh is a mesh like that of [testworld.Large], which a control plane accepts.
func acceptedMesh(s testworld.Size) string {
	documents := []string{"{type: Mesh, name: default, skipCreatingInitialPolicies: ['*'], meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}"}
	add := func(format string, args ...any) { documents = append(documents, fmt.Sprintf(format, args...)) }
	for i := range s.Services {
		add("{type: MeshService, name: service-%d, spec: {selector: {dataplaneTags: {kuma.io/service: service-%d}}, ports: [{port: 80, name: http, appProtocol: http}]}}", i, i)
	}
	for i := range s.Dataplanes {
		add("{type: Dataplane, name: dp-%d, labels: {team: team-%d}, networking: {address: 10.0.0.1, inbound: [{port: 8080, name: http, tags: {kuma.io/service: service-%d}}]}}", i, i%20, i%s.Services)
	}
	kinds := []struct{ name, conf string }{
		{"MeshTimeout", "http: {requestTimeout: %ds}"},
		{"MeshRetry", "http: {numRetries: %d}"},
		{"MeshCircuitBreaker", "connectionLimits: {maxConnections: %d}"},
		{"MeshTrafficPermission", "allow: [{spiffeID: {type: Prefix, value: spiffe://default/service-%d}}]"},
	}
	for i := range s.Policies {
		kind, nth := kinds[i%len(kinds)], i/len(kinds)
		ref := ""
		switch nth % 12 {
		case 1, 3, 7, 9:
			ref = fmt.Sprintf("targetRef: {kind: Dataplane, labels: {team: team-%d}}, ", nth/12%20)
		case 5:
			ref = fmt.Sprintf("targetRef: {kind: Dataplane, name: dp-%d}, ", i%s.Dataplanes)
		case 11:
			ref = "targetRef: {kind: Dataplane}, "
		}
		if kind.name == "MeshTrafficPermission" {
			add("{type: %s, name: policy-%d, spec: {%srules: [{default: {%s}}]}}", kind.name, i, ref, fmt.Sprintf(kind.conf, nth%s.Services))
			continue
		}
		to := fmt.Sprintf("kind: MeshService, name: service-%d", nth%s.Services)
		if nth%6 == 3 {
			to = "kind: Mesh"
		}
		add("{type: %s, name: policy-%d, spec: {%sto: [{targetRef: {%s}, default: {%s}}]}}", kind.name, i, ref, to, fmt.Sprintf(kind.conf, nth%30+1))
	}
	return strings.Join(documents, "\n---\n")
}

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// measured is what one command took.
type measured struct {
	requests int64
	wall     time.Duration
	cpu      time.Duration // of the provider, on Linux
	peak     float64       // memory of the provider in MB, on Linux
}

// measure runs a command with a provider of its own.
func (c cli) measure(t *testing.T, server *counted, args ...string) measured {
	t.Helper()
	pid, reattach := serve(t)
	if host := os.Getenv("TF_ACC_PROVIDER_HOST"); host != "" { // OpenTofu has another registry
		reattach = strings.Replace(reattach, "registry.terraform.io", host, 1)
	}
	c.env = append(c.env[:len(c.env):len(c.env)], "TF_REATTACH_PROVIDERS="+reattach)
	var m measured
	m.requests, m.wall = server.during(func() { c.must(t, args...) })
	m.cpu, _ = cpuTime(pid)
	m.peak, _ = peakMemory(pid)
	return m
}

// cpuTime returns the processor time of a process; false where the system does
// not tell.
func cpuTime(pid int) (time.Duration, bool) {
	const ticks = 100 // per second, on all systems that Go runs on
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var sum int
	for _, i := range []int{11, 12} { // in the system and outside
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return 0, false
		}
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks, true
}

// TestScaleTable prints what plans, applies and destroys of 1, 100 and as many
// resources as KUMA_SCALE says cost, and holds the largest to its limits.
func TestScaleTable(t *testing.T) {
	needCLI(t)
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes minutes; `make bench` sets KUMA_SCALE to the number of resources")
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-9s  %-32s %8s %8s %12s %12s\n", "resources", "command", "requests", "wall", "provider CPU", "provider RSS")
	for _, n := range []int{1, 100, size(1000)} {
		for _, row := range scaleOf(t, n) {
			fmt.Fprintf(&table, "%9d  %-32s %8d %7.1fs %11.1fs %9.0f MB\n", n, row.command, row.requests, row.wall.Seconds(), row.cpu.Seconds(), row.peak)
		}
	}
	t.Log(table.String())
}

type scaleRow struct {
	command string
	measured
}

// scaleOf measures the life of n resources.
func scaleOf(t *testing.T, n int) []scaleRow {
	t.Helper()
	server, config := startCounted(t)
	c := newCLI(t, map[string]string{"main.tf": config + manyTimeouts(n)})
	var rows []scaleRow
	run := func(command string, args ...string) measured {
		t.Helper()
		m := c.measure(t, server, args...)
		rows = append(rows, scaleRow{command, m})
		return m
	}
	slowly := func(command string, args ...string) measured {
		t.Helper()
		server.latency.Store(int64(20 * time.Millisecond))
		defer server.latency.Store(0)
		return run(command+", 20 ms away", args...)
	}
	planned := run("plan of new", "plan", "-out=plan")
	far := slowly("plan of new", "plan", "-out=plan")
	applied := run("apply", "apply", "plan")
	unchanged := run("plan without changes", "plan", "-detailed-exitcode")
	unchangedFar := slowly("plan without changes", "plan", "-detailed-exitcode")
	state, err := os.ReadFile(filepath.Join(c.dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	perResource := len(compactJSON(t, state)) / (n + 1)
	run("destroy", "destroy", "-auto-approve")
	if n < 1000 {
		return rows
	}
	t.Logf("state: %d bytes per resource", perResource)
	for what, ok := range map[string]bool{
		"plan of new resources: at most 20 requests":           planned.requests <= 20,
		"apply: 2 requests per resource":                       applied.requests <= int64(2*n+20),
		"plan without changes: at most 20 requests":            unchanged.requests <= 20,
		"plan of new resources: latency costs at most 30 %":    far.wall < planned.wall*13/10,
		"plan without changes: latency costs at most 30 %":     unchangedFar.wall < unchanged.wall*13/10,
		"plan without changes: less than 5 s of the processor": unchanged.cpu < 5*time.Second,
		"plan without changes: at most 120 MB":                 unchanged.peak < 120,
		"state: at most 1.2 KB per resource":                   perResource <= 1200,
	} {
		if !ok {
			t.Errorf("missed with %d resources: %s", n, what)
		}
	}
	return rows
}

// TestRulesOfManyPolicies reads the rules of a proxy from a control plane that
// holds ten times as many policies as KUMA_SCALE says.
func TestRulesOfManyPolicies(t *testing.T) {
	needCLI(t)
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes a minute; `make bench` sets KUMA_SCALE")
	}
	n := 10 * size(1000)
	server, config := startCounted(t)
	documents := []string{
		"{type: Mesh, name: shop, skipCreatingInitialPolicies: ['*']}",
		"{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}",
	}
	for i := range n {
		documents = append(documents, fmt.Sprintf("{type: MeshTimeout, mesh: shop, name: timeout-%d, spec: {targetRef: {kind: Dataplane, labels: {app: app-%d}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1h}}]}}", i, i))
	}
	putDocuments(t, server, strings.Join(documents, "\n---\n"))
	c := newCLI(t, map[string]string{"main.tf": config + "data \"kuma_effective_rules\" \"web\" {\n  mesh      = \"shop\"\n  dataplane = \"web-1\"\n}\n"})
	m := c.measure(t, server, "plan")
	t.Logf("rules of one proxy with %d policies stored: %d requests, %.1fs, provider CPU %.1fs, RSS %.0f MB", n, m.requests, m.wall.Seconds(), m.cpu.Seconds(), m.peak)
	if most := int64(30 + n/100); m.requests > most {
		t.Errorf("%d requests with %d policies stored, want at most %d", m.requests, n, most)
	}
}

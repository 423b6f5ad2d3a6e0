package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestScaleTable prints what plans, applies and destroys of 100, 1000 and 10000
// resources cost, up to as many as KUMA_SCALE says: of this provider, of the
// one that KUMA_BASELINE names, and of Terraform alone, with resources that
// need no provider. It checks the limits of this provider.
func TestScaleTable(t *testing.T) {
	providertest.NeedCLI(t)
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes minutes; `make bench` sets KUMA_SCALE to the number of resources")
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%9s  %-26s %-9s %8s %8s %13s %13s %13s\n", "resources", "command", "provider", "requests", "wall", "provider CPU", "Terraform CPU", "provider RSS")
	defer func() { t.Log(table.String()) }()    // also what was measured before a command fails
	costs := map[string]map[int]time.Duration{} // of this provider, by command and number of resources
	for _, n := range []int{100, 1000, 10000} {
		if n > providertest.Size(0) {
			continue
		}
		for _, p := range providertest.Programs(t) {
			rows := scaleOf(t, p, n)
			for _, row := range rows {
				fmt.Fprintf(&table, "%9d  %-26s %-9s %8d %7.1fs %12.2fs %12.2fs %10.0f MB\n", n, row.command, p.Name, row.Requests, row.Wall.Seconds(), row.CPU.Seconds(), row.Terraform.Seconds(), row.Peak)
				if p.Name == "this" {
					if costs[row.command] == nil {
						costs[row.command] = map[int]time.Duration{}
					}
					costs[row.command][n] = row.CPU
				}
			}
			if p.Name == "this" {
				checkLimits(t, n, rows)
			}
		}
		for _, row := range scaleOfTerraform(t, n) {
			fmt.Fprintf(&table, "%9d  %-26s %-9s %8s %7.1fs %13s %12.2fs\n", n, row.command, "none", "-", row.Wall.Seconds(), "-", row.Terraform.Seconds())
		}
	}
	for _, command := range slices.Sorted(maps.Keys(costs)) {
		if few, many := costs[command][1000], costs[command][10000]; few > 0 && many > 0 {
			exponent := math.Log10(many.Seconds() / few.Seconds())
			fmt.Fprintf(&table, "%-26s provider CPU grows with n^%.2f from 1000 to 10000\n", command, exponent)
			if exponent > 1.15 {
				t.Errorf("%s: the provider's CPU grows with n^%.2f", command, exponent)
			}
		}
	}
}

type scaleRow struct {
	command string
	providertest.Measured
}

// scaleOf measures the lifecycle of n resources: created and destroyed by
// Terraform, unless there are too many, and imported.
func scaleOf(t *testing.T, p providertest.Program, n int) []scaleRow {
	t.Helper()
	server, config := providertest.StartCounted(t)
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.ManyTimeouts(n)})
	var rows []scaleRow
	run := func(c providertest.CLI, command string, args ...string) {
		t.Helper()
		rows = append(rows, scaleRow{command, c.Measure(t, server, p, args...)})
	}
	run(c, "plan of new", "plan", "-out=plan")
	if n > 1000 { // Terraform takes many minutes to apply so many
		putManyTimeouts(t, server, n)
		providertest.Write(t, filepath.Join(c.Dir, "import.tf"), manyImports(n))
		run(c, "plan of imports", "plan", "-out=plan")
		run(c, "apply of imports", "apply", "plan")
		testworld.NoError(t, os.Remove(filepath.Join(c.Dir, "import.tf")))
		run(c, "plan without changes", "plan", "-detailed-exitcode")
		return rows
	}
	run(c, "apply", "apply", "plan")
	run(c, "plan without changes", "plan", "-detailed-exitcode")
	server.Latency.Store(int64(20 * time.Millisecond))
	run(c, "the same, 20 ms away", "plan", "-detailed-exitcode")
	server.Latency.Store(0)
	state := testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate"))
	perResource := len(phrase.JSON(testworld.JSON(t, state))) / (n + 1)
	t.Logf("state of %d resources: %d bytes per resource", n, perResource)
	if perResource > mostState {
		t.Errorf("the state takes %d bytes per resource, want at most %d", perResource, mostState)
	}
	taken := providertest.NewCLI(t, map[string]string{"main.tf": config + providertest.AllConfiguration})
	run(taken, "take over: configuration", "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(taken.Dir, "mesh.tf"), taken.Output(t, "configuration"))
	providertest.Write(t, filepath.Join(taken.Dir, "main.tf"), config)
	run(taken, "take over: plan of imports", "plan", "-out=plan")
	run(taken, "take over: apply", "apply", "plan")
	taken.PlanIsEmpty(t)
	run(c, "destroy", "destroy", "-auto-approve")
	return rows
}

// lifecycleLimits are those of commands for a thousand or more resources. A change is read
// before it, and verified.
var lifecycleLimits = []struct {
	command               string
	requests, perResource int
	cpu                   time.Duration // of the provider, per resource
}{
	{"plan of new", 100, 0, 3 * time.Millisecond},
	{"plan without changes", 100, 0, 3 * time.Millisecond},
	{"apply", 100, 3, 8 * time.Millisecond},
	{"destroy", 100, 3, 7 * time.Millisecond},
}

const (
	mostState  = 1200 // bytes of a resource
	mostMemory = 250  // MB of the provider
)

// TestPerformanceGuide checks that the guide states the limits that are checked.
func TestPerformanceGuide(t *testing.T) {
	t.Parallel()
	guide := testworld.Text(t, testworld.Path("docs", "guides", "performance.md"))
	want := []string{fmt.Sprintf("takes at most %d,%d bytes of state, and the provider %d MB of memory", mostState/1000, mostState%1000, mostMemory)}
	for _, l := range lifecycleLimits {
		requests := strconv.Itoa(l.requests)
		if l.perResource > 0 {
			requests += fmt.Sprintf(", and %d per resource", l.perResource)
		}
		want = append(want, fmt.Sprintf("| %s | %s | %d ms |", l.command, requests, l.cpu.Milliseconds()))
	}
	for _, a := range analyses() {
		want = append(want, fmt.Sprintf("| %s | %g s | %.0f MB |", a.name, a.cpu.Seconds(), a.peak))
		if a.destination > 0 {
			want = append(want, fmt.Sprintf("at most\n  %d,%d bytes for each service", a.destination/1000, a.destination%1000))
		}
	}
	for _, text := range want {
		if !strings.Contains(guide, text) {
			t.Errorf("the guide does not contain %q", text)
		}
	}
}

// checkLimits checks the limits of the lifecycle of a thousand or more
// resources.
func checkLimits(t *testing.T, n int, rows []scaleRow) {
	t.Helper()
	if n < 1000 {
		return
	}
	for _, row := range rows {
		for _, l := range lifecycleLimits {
			if most := time.Duration(n) * l.cpu; row.command == l.command && row.CPU > most {
				t.Errorf("%s of %d resources: %s of the provider's processor time, want at most %s", row.command, n, row.CPU, most)
			}
			if most := int64(l.perResource*n + l.requests); row.command == l.command && row.Requests > most {
				t.Errorf("%s of %d resources: %d requests, want at most %d", row.command, n, row.Requests, most)
			}
		}
		if row.Peak > mostMemory {
			t.Errorf("%s of %d resources: %.0f MB, want at most %d", row.command, n, row.Peak, mostMemory)
		}
	}
}

// scaleOfTerraform measures n resources of Terraform's own, with about as much state.
func scaleOfTerraform(t *testing.T, n int) []scaleRow {
	t.Helper()
	c := providertest.NewCLI(t, map[string]string{"main.tf": fmt.Sprintf(`
variable "resources" { default = %d }
resource "terraform_data" "service" {
  count = var.resources
  input = {
    mesh = "shop"
    name = "timeout-${count.index}"
    spec = {
      target_ref = { kind = "Dataplane", labels = { app = "app-${count.index}" } }
      to         = [{ target_ref = { kind = "Mesh" }, default = { idle_timeout = "1h", http = { request_timeout = "${count.index + 1}s" } } }]
    }
  }
}
`, n)})
	var rows []scaleRow
	run := func(command string, args ...string) {
		t.Helper()
		start := time.Now()
		cpu, err := c.CPUOf(t, args...)
		testworld.NoError(t, err)
		rows = append(rows, scaleRow{command, providertest.Measured{Wall: time.Since(start), Terraform: cpu}})
	}
	run("plan of new", "plan", "-out=plan")
	if n > 1000 {
		c.Must(t, "apply", "-auto-approve", "-var=resources=1")
		repeatInstance(t, filepath.Join(c.Dir, "terraform.tfstate"), n)
		run("plan without changes", "plan", "-detailed-exitcode")
		return rows
	}
	run("apply", "apply", "plan")
	run("plan without changes", "plan", "-detailed-exitcode")
	run("destroy", "destroy", "-auto-approve")
	return rows
}

// repeatInstance writes n instances into a state that has the first one of
// [scaleOfTerraform], because Terraform takes too long to apply so many.
func repeatInstance(t *testing.T, file string, n int) {
	t.Helper()
	content, err := os.ReadFile(file)
	testworld.NoError(t, err)
	var state map[string]any
	testworld.NoError(t, json.Unmarshal(content, &state))
	resource := state["resources"].([]any)[0].(map[string]any)
	first, err := json.Marshal(resource["instances"].([]any)[0])
	testworld.NoError(t, err)
	instances := make([]any, n)
	for i := range instances {
		text := strings.NewReplacer("-0\"", fmt.Sprintf("-%d\"", i), `"1s"`, fmt.Sprintf(`"%ds"`, i+1), `"index_key":0`, fmt.Sprintf(`"index_key":%d`, i)).Replace(string(first))
		instances[i] = json.RawMessage(text)
	}
	resource["instances"] = instances
	content, err = json.Marshal(state)
	testworld.NoError(t, err)
	providertest.Write(t, file, string(content))
}

// putManyTimeouts stores the resources of [manyTimeouts].
func putManyTimeouts(t *testing.T, server *providertest.Counted, n int) {
	t.Helper()
	documents := []string{"{type: Mesh, name: shop, skipCreatingInitialPolicies: ['*']}"}
	for i := range n {
		documents = append(documents, fmt.Sprintf("{type: MeshTimeout, mesh: shop, name: timeout-%d, spec: {targetRef: {kind: Dataplane, labels: {app: app-%d}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1h, http: {requestTimeout: %ds}}}]}}", i, i, i+1))
	}
	providertest.PutDocuments(t, server, strings.Join(documents, "\n---\n"))
}

// manyImports takes over the resources of [manyTimeouts].
func manyImports(n int) string {
	return fmt.Sprintf(`
import {
  to = kuma_mesh.shop
  id = "shop"
}
import {
  for_each = { for i in flatten([for a in range(0, %[1]d, 1000) : range(a, min(a + 1000, %[1]d))]) : i => i }
  to       = kuma_mesh_timeout.service[each.value]
  id       = "shop/timeout-${each.key}"
}
`, n)
}

// TestRulesOfManyPolicies reads the rules of a proxy from a control plane that
// holds as many policies as KUMA_SCALE says.
func TestRulesOfManyPolicies(t *testing.T) {
	providertest.NeedCLI(t)
	if os.Getenv("KUMA_SCALE") == "" {
		t.Skip("takes a minute; `make bench` sets KUMA_SCALE")
	}
	n := providertest.Size(1000)
	server, config := providertest.StartCounted(t)
	putManyTimeouts(t, server, n)
	providertest.PutDocuments(t, server, "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}")
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + "data \"kuma_effective_rules\" \"web\" {\n  mesh      = \"shop\"\n  dataplane = \"web-1\"\n}\n"})
	m := c.Measure(t, server, providertest.Programs(t)[0], "plan")
	t.Logf("rules of one proxy with %d policies stored: %s", n, m)
	if most := int64(30 + n/100); m.Requests > most {
		t.Errorf("%d requests with %d policies stored, want at most %d", m.Requests, n, most)
	}
}

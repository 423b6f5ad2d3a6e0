package proxies_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// start starts a control plane of the binary KUMA_CP for a test.
func start(t *testing.T) *oracle.Site {
	t.Helper()
	return startBinary(t, "KUMA_CP")
}

// startBinary starts a control plane of the binary that a variable names.
func startBinary(t *testing.T, variable string) *oracle.Site {
	t.Helper()
	binary := os.Getenv(variable)
	if binary == "" {
		t.Skip(variable + " does not name a kuma-cp")
	}
	cp, err := oracle.Start(t.Context(), oracle.Options{Binary: binary})
	testworld.NoError(t, err)
	t.Cleanup(func() {
		if err := cp.Stop(); err != nil {
			t.Error(err)
		}
	})
	return cp
}

// recordResult records what a comparison found, see [oracle.Result.Record]. One that fails
// prints what differs.
func recordResult(t *testing.T, cp *oracle.Site, began time.Time, command, compared string) {
	t.Helper()
	if t.Failed() {
		return
	}
	if err := (oracle.Result{Command: command, Release: cp.Version(), Compared: compared, Began: began}).Record("../results.md"); err != nil {
		t.Error(err)
	}
}

// store writes documents.
func store(t *testing.T, cp *oracle.Site, documents ...string) []kuma.Resource {
	t.Helper()
	resources := testworld.Resources(t, documents...)
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	rejected, err := d.Store(t.Context(), d.Writes(resources))
	if err != nil || len(rejected) > 0 {
		t.Fatal(rejected, err)
	}
	return resources
}

// settles is how long proxies may take to get the configuration that they keep: on a machine
// that does other work, and with certificates in mode PERMISSIVE (proxies.md §5), minutes.
const settles = 3 * time.Minute

// connect connects the proxies of all Dataplanes among resources.
func connect(t *testing.T, cp *oracle.Site, resources []kuma.Resource) map[string]*proxies.Proxy {
	t.Helper()
	connected := map[string]*proxies.Proxy{}
	for _, r := range resources {
		if r.Type != kuma.KindDataplane {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), settles)
		p, err := proxies.Connect(ctx, cp, proxies.Options{Mesh: r.Mesh, Dataplane: r.Name, Workload: r.Labels[kuma.LabelWorkload]})
		cancel()
		testworld.NoError(t, err)
		t.Cleanup(func() { _ = p.Close() })
		connected[r.Name] = p
	}
	return connected
}

// eventually waits until the proxies have a configuration for which check returns "".
func eventually(t *testing.T, connected map[string]*proxies.Proxy, check func(envoy.Mesh) string) {
	t.Helper()
	await(t, connected, (*proxies.Proxy).Config, check)
}

// await waits until check returns "" for the configuration of the proxies that read returns.
func await(t *testing.T, connected map[string]*proxies.Proxy, read func(*proxies.Proxy, context.Context) (*envoy.Config, error), check func(envoy.Mesh) string) {
	t.Helper()
	problem := "not checked"
	err := oracle.Until(t.Context(), settles, time.Second/2, "the expected configuration", func(ctx context.Context) (bool, error) {
		mesh := envoy.Mesh{}
		for name, p := range connected {
			config, err := read(p, ctx)
			if err != nil {
				return false, err
			}
			mesh[name] = config
		}
		problem = check(mesh)
		return problem == "", nil
	})
	if err != nil {
		t.Fatalf("%v: %s", err, problem)
	}
}

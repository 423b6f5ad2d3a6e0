package e2e_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// gate is a condition of an example that must fail after a bad change.
type gate struct {
	file     string // has the condition; in examples
	with     string // the other file of the example, if there is one
	old, new string // text of the other file, or of the only one, before the bad change and after it
	stored   string // what another client writes as the bad change
	message  string // of the condition
	warns    bool   // as a check does, which does not fail the plan
}

// gates are the conditions in examples that have no test of their own.
var gates = map[string]gate{
	"access": {
		file: "data-sources/kuma_access/data-source.tf",
		old:  `shop.example/workload/frontend"`, new: `shop.example/workload/batch"`,
		message: `Only frontend may call payments.`,
	},
	"access of documents": {
		file: "functions/access/function.tf",
		old:  `workload/frontend"`, new: `workload/payments"`,
		message: `payments may call payments:80`,
	},
	"plaintext": {
		file: "data-sources/kuma_access/data-source-clients-that-speak-plaintext.tf",
		old:  `match_labels = {}`, new: `match_labels = { app = "payments" }`,
		stored:  "{type: Dataplane, mesh: shop, name: web, labels: {app: web}, networking: {address: 10.0.0.6, inbound: [{port: 8080, protocol: http}], outbound: [{port: 9001, backendRef: {kind: MeshService, labels: {app: checkout}, port: 8080}}]}}",
		message: `web can call checkout:8080`, warns: true,
	},
	"authority": {
		file:    "data-sources/kuma_proxies/data-source-authorities-that-expire.tf",
		stored:  providertest.TrustFor(time.Hour),
		message: `CN=test of MeshTrust expiring`, warns: true,
	},
	"token": {
		file: "ephemeral-resources/kuma_dataplane_token/ephemeral-resource-a-token-that-expires.tf",
		old:  `"168h"`, new: `"721h"`, // as if the token were as old
		message: `: raise its version.`, warns: true,
	},
	"impact on access": {
		file: "data-sources/kuma_policy_impact/data-source-clients-that-gain-or-lose-access.tf",
		old:  "type  = \"Exact\"\n            value = \"spiffe://shop.example/workload/frontend\"", new: "type = \"Prefix\"\n value = \"spiffe://shop.example\"",
		message: `A client would gain access.`,
	},
	"lost access": {
		file: "data-sources/kuma_policy_impact/data-source-clients-that-gain-or-lose-access.tf",
		old:  "shop.example/workload/frontend\"", new: "shop.example/workload/checkout\"",
		message: `A client would lose access.`,
	},
	"impact on requests": {
		file: "guides/preview-a-change/requests.tf",
		old:  "labels = { app = \"checkout\" }\n            port", new: "labels = { app = \"checkout-canary\" }\n            port",
		message: `Only requests below /v2 may change.`,
	},
	"lint of what is planned": {
		file: "data-sources/kuma_mesh_lint/data-source-fail-the-plan.tf",
		old:  `kind = "Mesh"`, new: "kind = \"MeshService\"\n labels = { app = \"payment\" }",
		message: `There is no MeshService with labels app=payment`,
	},
	"lint for Kuma 3": {
		file: "data-sources/kuma_mesh_lint/data-source-before-an-upgrade-to-kuma-3.tf",
		old:  `{kind: Dataplane, labels: {app: checkout}}`, new: `{kind: Dataplane, name: checkout-1}`,
		message: `K3-006`,
	},
	"lint of documents": {
		file: "data-sources/kuma_mesh_lint/data-source.tf",
		old:  `{kind: MeshService, labels: {app: payments}}`, new: `{kind: MeshService, labels: {app: payment}}`,
		message: `There is no MeshService with labels app=payment`, warns: true,
	},
	"permission of a request": {
		file: "data-sources/kuma_request/data-source.tf",
		old:  `spiffe://market.example/workload/frontend`, new: `spiffe://market.example/workload/backend`,
		message: `The frontend must be allowed to read orders.`, warns: true,
	},
	"request of another client": {
		file: "data-sources/kuma_request/data-source.tf",
		old:  `type: Exact, value: spiffe://market.example/workload/frontend`, new: `type: Prefix, value: spiffe://market.example`,
		message: `No one else may read orders.`, warns: true,
	},
	"hosts that a proxy reaches": {
		file: "data-sources/kuma_request/data-source-host-names.tf",
		old:  `passthroughMode: Matched`, new: `passthroughMode: None`,
		message: `api.payments.example:443 is not a service of the mesh, and the transparent proxy does not let the connection through`, warns: true,
	},
	"share of a request": {
		file: "data-sources/kuma_request/data-source.tf",
		old:  `weight: 90`, new: `weight: 30`,
		message: `The stable version must get 90% of the orders.`, warns: true,
	},
	"upgrade": {
		file: "functions/upgrade_documents/function.tf",
		old:  `{kind: MeshSubset, tags: {team: shop}}`, new: `{kind: Mesh, proxyTypes: [Gateway]}`,
		message: `The upgrade would change proxies.`,
	},
	"impact": {
		file: "data-sources/kuma_policy_impact/data-source.tf",
		old:  `max_stream_duration`, new: `request_timeout`,
		message: `A proxy would lose a timeout.`,
	},
	"impact of what a module no longer contains": {
		file: "data-sources/kuma_policy_impact/data-source-resources-of-a-module.tf",
		old:  `{ checkout = "10m", batch = "1h" }`, new: `{ batch = "1h" }`,
		message: `A proxy would lose its limit.`,
	},
	"impact on the web shop": {
		file: "impact/impact.tf", with: "impact/main.tf",
		old: `"5s"`, new: `"0s"`,
		message: `A proxy would lose its request timeout.`,
	},
	"impact on batch jobs": {
		file: "impact/impact.tf", with: "impact/main.tf",
		old: `"15s"`, new: `"10s"`,
		message: `Batch jobs change, too`, warns: true,
	},
	"rules of a proxy to come": {
		file:    "data-sources/kuma_effective_rules/data-source-a-proxy-that-does-not-exist-yet.tf",
		stored:  "{type: MeshTimeout, mesh: shop, name: nowhere, spec: {to: [{targetRef: {kind: MeshService, labels: {app: nowhere}}, default: {idleTimeout: 5s}}]}}",
		message: `which does not exist`, warns: true,
	},
	"rules that a proxy to come ignores": {
		file: "data-sources/kuma_effective_rules/data-source-a-proxy-that-does-not-exist-yet.tf",
		stored: "{type: MeshTimeout, mesh: shop, name: weak, spec: {rules: [{default: {idleTimeout: 5s}}]}}\n---\n" +
			"{type: MeshTimeout, mesh: shop, name: strict, spec: {rules: [{default: {idleTimeout: 1s}}]}}",
		message: `All values of the entry are overridden by`, warns: true,
	},
	"rules that are left to the control plane": {
		file: "data-sources/kuma_effective_rules/data-source-values-that-no-policy-sets.tf",
		old:  `requestTimeout: 5s`, new: `streamIdleTimeout: 5s`,
		message: `Set the request timeout for payments in a MeshTimeout.`, warns: true,
	},
	"rules of all proxies of a service": {
		file: "data-sources/kuma_effective_rules/data-source-all-proxies-of-a-service.tf",
		stored: "{type: Dataplane, mesh: shop, name: checkout-2, labels: {app: checkout, version: v2}, networking: {address: 10.0.0.6, inbound: [{port: 8080, protocol: http}]}}\n---\n" +
			"{type: MeshTimeout, mesh: shop, name: one, spec: {targetRef: {kind: Dataplane, labels: {version: v2}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 5s}}]}}",
		message: `Check block assertion failed`, warns: true,
	},
	"rules of the frontend": {
		file: "quickstart/effective.tf", with: "quickstart/main.tf",
		old: `"1s"`, new: `"500ms"`,
		message: `The frontend must give up on the backend after 1s`, warns: true,
	},
	"rules of batch jobs": {
		file: "quickstart/effective.tf", with: "quickstart/main.tf",
		old: `"30s"`, new: `"20s"`,
		message: `Batch jobs must wait 30s`, warns: true,
	},
	"impact with unknown values": {
		file: "guides/unknown-values/impact.tf", with: "guides/unknown-values/main.tf",
		old: "machines = 1\n  limit    = \"5s\"", new: "machines = 2\n  limit    = \"0s\"",
		message: `A proxy would lose its request timeout.`,
	},
	"lint with the function": {
		file: "functions/mesh_lint/function.tf",
		old:  "app = \"payments\" }\n      }", new: "app = \"payment\" }\n      }",
		message: `There is no MeshService with labels app=payment`,
	},
	"drift": {
		file: "guides/drift/effect.tf", with: "guides/drift/main.tf",
		old: `"1s"`, new: `"2s"`,
		message: `frontend-1 does not have the agreed rules.`,
	},
	"drift by another client": {
		file: "guides/drift/effect.tf", with: "guides/drift/main.tf",
		stored:  "{type: MeshRetry, mesh: shop, name: surprise, spec: {targetRef: {kind: Dataplane}, to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 3}}}]}}",
		message: `frontend-1 does not have the agreed rules.`,
	},
}

// TestGates checks that conditions of examples fail before anything is written, and
// that checks warn in the plan.
func TestGates(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for name, g := range gates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
				t.Helper()
				g.test(t, open(t))
			})
		})
	}
}

func (g gate) test(t *testing.T, cp providertest.ControlPlane) {
	t.Helper()
	written := countWrites(t, &cp)
	text := testworld.Text(t, filepath.Join(providertest.Examples, g.file))
	main := providertest.RequiredProvider + cp.Config
	switch {
	case g.with != "":
		main = providertest.ProviderBlock.ReplaceAllLiteralString(testworld.Text(t, filepath.Join(providertest.Examples, g.with)), cp.Config)
	case !strings.Contains(text, `resource "kuma_mesh" "shop"`):
		main += providertest.CheckoutProxy
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": main})
	c.NeedRelease(t)
	c.Must(t, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "gate.tf"), text)
	c.NeedRelease(t)
	agree(t, c)
	if out := c.Must(t, "apply", "-auto-approve"); strings.Contains(out, g.message) {
		t.Fatalf("the condition fails before the bad change:\n%s", out)
	}
	for _, r := range testworld.Resources(t, g.stored) {
		if _, err := cp.Resources(cp.Kind(r.Type)).Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	g.breakFiles(t, c)
	before := written()
	args := []string{"apply", "-auto-approve"}
	wantCode := 1
	if g.warns {
		args, wantCode = []string{"plan"}, 0
	}
	out, code := c.Run(t, args...)
	if code != wantCode || !strings.Contains(strings.Join(strings.Fields(out), " "), g.message) {
		t.Errorf("terraform %v: exit code %d, want %d and the message %q:\n%s", args, code, wantCode, g.message, out)
	}
	if diff := cmp.Diff(before, written()); diff != "" {
		t.Errorf("something was written (-before +after):\n%s", diff)
	}
}

// breakFiles makes the bad change.
func (g gate) breakFiles(t *testing.T, c providertest.CLI) {
	t.Helper()
	if g.old == "" {
		return
	}
	file := filepath.Join(c.Dir, "gate.tf")
	if g.with != "" { // the condition stays as it is
		file = filepath.Join(c.Dir, "main.tf")
	}
	providertest.Write(t, file, testworld.Edited(t, testworld.Text(t, file), g.old, g.new))
}

// agree sets the variable "agreed" of the guide about drift to the digests in the
// message, as the guide describes.
func agree(t *testing.T, c providertest.CLI) {
	t.Helper()
	if !strings.Contains(testworld.Text(t, filepath.Join(c.Dir, "gate.tf")), `variable "agreed"`) {
		return
	}
	file := filepath.Join(c.Dir, "terraform.tfvars")
	providertest.Write(t, file, "agreed = { frontend-1 = \"\" }\n")
	out, code := c.Run(t, "apply", "-auto-approve")
	digest := regexp.MustCompile(`Its digest is\s[^0-9a-z]*([0-9a-z:]+),`).FindStringSubmatch(out)
	if code != 1 || digest == nil {
		t.Fatalf("the first plan ends with %d, and its message does not contain the digest:\n%s", code, out)
	}
	providertest.Write(t, file, "agreed = { frontend-1 = \""+digest[1]+"\" }\n")
}

// countWrites puts a proxy in front of a real control plane, which changes
// resources by itself, and returns the number of writes it has received. For an
// embedded one, the stored resources show it.
func countWrites(t *testing.T, cp *providertest.ControlPlane) func() any {
	t.Helper()
	if cp.Dir != "" {
		return func() any { return resources(t, *cp) }
	}
	var writes atomic.Int64
	cp.Intercept(t, func(r *http.Response) error {
		if r.Request.Method != http.MethodGet && !strings.HasPrefix(r.Request.URL.Path, "/tokens/") { // which stores nothing
			writes.Add(1)
		}
		return nil
	})
	return func() any { return writes.Load() }
}

// resources returns all that is stored, with the times of writes.
func resources(t *testing.T, cp providertest.ControlPlane) map[kuma.Key]kuma.Resource {
	t.Helper()
	all := map[kuma.Key]kuma.Resource{}
	for key := range cp.Keys(t) {
		r, err := cp.Resources(cp.Kind(key.Type)).Current(t.Context(), key)
		testworld.NoError(t, err)
		all[key] = r
	}
	return all
}

// condition matches where a file begins a condition.
var condition = regexp.MustCompile(`(?m)^ *(precondition \{|postcondition \{|assert \{)`)

// TestGatesAreTested counts the conditions of all examples and templates. Those of
// modules are for the tests of the modules.
func TestGatesAreTested(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"examples/get-started/request.tf":           1, // see TestGetStarted
		"examples/shop/gate.tf":                     6, // see TestShopRefusesAMistake and TestShopWarnsOfAChange
		"examples/guides/upgrade-to-kuma-3/main.tf": 1, // see TestUpgradeGuide

		// See TestRequestsGuide.
		"examples/guides/requests/requests.tf":               3,
		"examples/guides/requests/tests/requests.tftest.hcl": 2,
	}
	want["examples/guides/what-a-proxy-gets/questions.tf"] = 3 // see TestWhatAProxyGetsGuide
	want["examples/guides/what-a-proxy-gets/timeouts.tftest.hcl"] = 1
	for _, g := range gates {
		if g.stored == "" || g.file != "guides/drift/effect.tf" { // that one fails in two ways
			want["examples/"+g.file]++
		}
	}
	for _, g := range proxyGates {
		want["examples/"+g.file]++
	}
	want["examples/guides/drift/running.tf"] = 1 // it fails in two ways
	got := map[string]int{}
	root := os.DirFS(testworld.Path())
	for _, dir := range []string{"examples", "templates"} {
		err := fs.WalkDir(root, dir, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case file == "examples/modules":
				return fs.SkipDir
			case err != nil || entry.IsDir():
				return err
			}
			text, err := fs.ReadFile(root, file)
			if n := len(condition.FindAll(text, -1)); n > 0 {
				got[file] = n
			}
			return err
		})
		testworld.NoError(t, err)
	}
	testworld.Equal(t, "conditions that a test breaks, by file", want, got)
}

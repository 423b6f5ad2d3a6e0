package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/command"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// open opens a page in a browser of a width. It skips the test without a browser.
func open(t *testing.T, page string, width int64, prepare func(ctx context.Context) error) context.Context {
	t.Helper()
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			browser = found
		}
	}
	if browser == "" {
		t.Skip("no browser is installed")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	testworld.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocated, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	const height = 900
	err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height))
	if err == nil {
		err = prepare(ctx)
	}
	if err == nil {
		err = chromedp.Do(ctx, chromedp.Navigate("file://"+file))
	}
	testworld.NoError(t, err)
	return ctx
}

// evaluate evaluates an expression of JavaScript.
func evaluate[T any](t *testing.T, ctx context.Context, expression string, options ...chromedp.EvaluateOption) T { //nolint:revive // the test comes first
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		t.Fatalf("%.200s: %v", expression, err)
	}
	return value
}

// execute executes statements of JavaScript.
func execute(t *testing.T, ctx context.Context, statements string) { //nolint:revive // the test comes first
	t.Helper()
	evaluate[int](t, ctx, statements+";\n0")
}

// pages are the review of a plan that takes access away and changes a timeout, a mesh, and the answer about a request.
func pages(t *testing.T) map[string]string {
	t.Helper()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshIdentity, mesh: shop, name: id, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: shop.example, path: "/workload/{{ label \"app\" }}"}, provider: {type: Bundled, bundled: {autogenerate: {enabled: true}, insecureAllowSelfSigned: true, meshTrustCreation: Enabled}}}}
---
{type: MeshTLS, mesh: shop, name: tls, spec: {rules: [{default: {mode: Strict}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, labels: {app: web, kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{name: main, port: 80, protocol: http}], outbound: [{port: 9000, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api, kuma.io/workload: api}, networking: {address: 10.0.0.2, inbound: [{name: main, port: 80, protocol: http}]}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{name: main, port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: api, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: "spiffe://shop.example/workload/web"}}]}}]}}
---
{type: MeshTimeout, mesh: shop, name: api, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {http: {requestTimeout: 3s}}}]}}
`
	file := filepath.Join(t.TempDir(), "mesh.yaml")
	testworld.NoError(t, os.WriteFile(file, []byte(world), 0o600))
	timeout := func(value string) map[string]any {
		return map[string]any{"type": "MeshTimeout", "mesh": "shop", "name": "api", "spec": map[string]any{"to": []any{map[string]any{
			"target_ref": map[string]any{"kind": "MeshService", "name": "api"}, "default": map[string]any{"http": map[string]any{"request_timeout": value}},
		}}}}
	}
	change := func(address string, actions []string, before, after any) map[string]any {
		kind, name, _ := strings.Cut(address, ".")
		return map[string]any{
			"address": address, "mode": "managed", "type": kind, "name": name, "provider_name": "registry.terraform.io/kuma-universal/kuma",
			"change": map[string]any{"actions": actions, "before": before, "after": after},
		}
	}
	plan, err := json.Marshal(map[string]any{"format_version": "1.2", "terraform_version": "1.15.0", "planned_values": map[string]any{}, "resource_changes": []any{
		change("kuma_mesh_timeout.api", []string{"update"}, timeout("3s"), timeout("5s")),
		change("kuma_mesh_traffic_permission.api", []string{"delete"}, map[string]any{"type": "MeshTrafficPermission", "mesh": "shop", "name": "api"}, nil),
	}})
	testworld.NoError(t, err)
	made := map[string]string{}
	for name, arguments := range map[string][]string{
		"review": {"review", "-format=html", "-fail-on=access-lost", "-documents", file, "-"}, "mesh": {"page", file},
		"request": {"request", "-format=html", "-dataplane=web-1", "-service=api", file},
	} {
		var out, errs bytes.Buffer
		command.Run(t.Context(), "test", arguments, bytes.NewReader(plan), &out, &errs)
		if made[name] = out.String(); out.Len() == 0 {
			t.Fatal(name, errs.String())
		}
	}
	return made
}

// TestPages opens pages: they request nothing, fit a narrow screen, and tools for accessibility find
// nothing wrong, in light and dark.
func TestPages(t *testing.T) {
	axe := axeCore(t)
	for name, page := range pages(t) {
		for _, width := range []int64{360, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s %d %s", name, width, scheme), func(t *testing.T) {
					ctx := open(t, page, width, func(ctx context.Context) error {
						features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
						_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
						return err
					})
					if requested := evaluate[[]string](t, ctx, "performance.getEntriesByType('resource').map((e) => e.name)"); len(requested) > 0 {
						t.Errorf("the page requests %v", requested)
					}
					if wide := evaluate[float64](t, ctx, "document.documentElement.scrollWidth"); int64(wide) > width {
						t.Errorf("the page is %v pixels wide", wide)
					}
					execute(t, ctx, "document.querySelectorAll('details').forEach((d) => { d.open = true; })")
					if axe == "" {
						return
					}
					execute(t, ctx, axe)
					found := evaluate[string](t, ctx, `axe.run().then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.map((n) => n.html)])))`, chromedp.EvalAwaitPromise)
					if found != "[]" {
						t.Errorf("accessibility: %s", found)
					}
				})
			}
		}
	}
}

// axeCore returns the program axe-core from the registry of npm, empty if it cannot be had.
func axeCore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "npm", "install", "--silent", "--prefix", dir, "axe-core@4.10.2")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Logf("without axe-core: %v %s", err, out)
		return ""
	}
	return testworld.Text(t, filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
}

// TestReviewPage checks what the page of a review says first, the filters of the matrix and of the
// proxies, and that nothing but these needs a script.
func TestReviewPage(t *testing.T) {
	page := pages(t)["review"]
	ctx := open(t, page, 1280, func(context.Context) error { return nil })
	if got := evaluate[string](t, ctx, "document.querySelector('.decision').innerText"); !strings.Contains(got, "Refused: 1 access-lost.") || !strings.Contains(got, "web-1 can no longer call api port 80") {
		t.Errorf("the decision is %q", got)
	}
	if got := evaluate[string](t, ctx, "document.querySelector('td.lost').innerText"); got != "✓→✗" {
		t.Errorf("the matrix shows the loss as %q", got)
	}
	visible := "[...document.querySelectorAll('%s')].filter((e) => e.checkVisibility()).length"
	type test struct {
		input, value, of string
		want             int
	}
	for _, test := range []test{
		{"[data-filter]", "nothing", ".matrix tbody tr", 0},
		{"[data-filter]", "web", ".matrix thead th", 1},
		{"[data-filter]", "", ".matrix tbody tr", 1},
		{"[data-details]", "api-1", "section details", 1},
		{"[data-details]", "", "section details", 1},
	} {
		execute(t, ctx, fmt.Sprintf("{ const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event('input')); }", test.input, test.value))
		if got := evaluate[int](t, ctx, fmt.Sprintf(visible, test.of)); got != test.want {
			t.Errorf("%s %q shows %d of %s, want %d", test.input, test.value, got, test.of, test.want)
		}
	}
	ctx = open(t, page, 1280, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	for selector, want := range map[string]string{".decision": "Refused", ".matrix": "api:80", "section details summary": "2 proxies"} {
		if text, err := chromedp.Run(ctx, chromedp.Text(selector)); err != nil || !strings.Contains(text, want) {
			t.Errorf("without a script, %s shows %q: %v", selector, text, err)
		}
	}
	if shown := evaluate[bool](t, ctx, "document.querySelector('.filter').checkVisibility()"); shown {
		t.Error("without a script, the filter is shown")
	}
}

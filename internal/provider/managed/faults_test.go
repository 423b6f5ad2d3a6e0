package managed_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// fault is a failure of a control plane or of a proxy in front of it.
type fault struct {
	name     string
	inject   func(http.ResponseWriter, *http.Request, http.Handler)
	present  func() certificates // set for faults of the certificate
	timeout  string              // of requests; a minute if it is empty
	done     bool                // the control plane applies the change anyway
	down     bool                // and then every request fails
	repeated bool                // the provider retries
}

const (
	html         = "<html><body>Bad gateway</body></html>"
	unauthorized = `{"type":"/std-errors","status":401,"title":"Invalid authentication data","detail":"Unauthenticated"}`
	forbidden    = `{"type":"/std-errors","status":403,"title":"Access Denied","detail":"user \"ci\" cannot access the resource"}`
	failed       = `{"type":"/std-errors","status":500,"title":"Could not process a resource","detail":"Internal Server Error"}`
)

var faults = []fault{
	{name: "429", inject: answerWith(429, "text/plain", "too many requests"), repeated: true},
	{name: "500", inject: answerWith(500, "application/json", failed), repeated: true},
	{name: "500 when done", inject: afterwards(func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) {
		answerWith(500, "application/json", failed)(w, r, nil)
	}), done: true, repeated: true},
	{name: "502 HTML page", inject: answerWith(502, "text/html", html), repeated: true},
	{name: "502 when done", inject: afterwards(func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) {
		answerWith(502, "text/html", html)(w, r, nil)
	}), done: true, repeated: true},
	{name: "503", inject: answerWith(503, "text/plain", "unavailable"), repeated: true},
	{name: "reset", inject: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { reset(w) }, repeated: true},
	{name: "reset when done", inject: afterwards(func(w http.ResponseWriter, _ *http.Request, _ *httptest.ResponseRecorder) { reset(w) }), done: true, repeated: true},
	{name: "down", inject: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { reset(w) }, down: true},
	{name: "down when done", inject: afterwards(func(w http.ResponseWriter, _ *http.Request, _ *httptest.ResponseRecorder) { reset(w) }), down: true},
	{name: "truncated answer", inject: afterwards(truncate), done: true, repeated: true},
	{name: "no answer in time", inject: afterwards(func(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) { <-r.Context().Done() }), timeout: "2s", done: true, repeated: true},
	{name: "other content type", inject: afterwards(func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) {
		answerWith(answer.Code, "text/plain", answer.Body.String())(w, r, nil)
	})},
	{name: "login page", inject: answerWith(200, "text/html", html)},
	{name: "401", inject: answerWith(401, "application/json", unauthorized)},
	{name: "403", inject: answerWith(403, "application/json", forbidden)},
	{name: "expired TLS", present: func() certificates { c := testCertificates(); c.Good = c.Expired; return c }},
	{name: "wrong CA", present: func() certificates {
		c := testCertificates()
		c.Good = c.OfOtherIssuer
		return c
	}},
}

type operation struct{ name, method string }

// operations lists the operations, and the method of the requests that are hit.
var operations = []operation{
	{"create", http.MethodPut},
	{"read", http.MethodGet},
	{"update", http.MethodPut},
	{"delete", http.MethodDelete},
	{"list", http.MethodGet},
}

// TestFaults injects every fault into every operation, once and for as long as the
// operation takes. It checks that each operation gives up, that state and control
// plane agree, that an error says what to do, and that the next apply without the
// fault completes the change. It prints the outcomes.
func TestFaults(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	outcomes := map[string]string{}
	cells := 0
	t.Run("cells", func(t *testing.T) {
		for _, f := range faults {
			for _, op := range operations {
				for _, times := range []int{1, math.MaxInt} {
					if !f.repeated && times == 1 {
						continue // whether it lasts makes no difference
					}
					if cells++; testing.Short() && cells%7 != 0 {
						continue
					}
					name := cell(f.name, op.name, times)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						outcome := newFaultTest(t, f, op.method, times).run(t, op.name)
						mu.Lock()
						defer mu.Unlock()
						outcomes[name] = outcome
					})
				}
			}
		}
	})
	t.Log(matrix(outcomes))
}

func cell(fault, operation string, times int) string {
	if times == 1 {
		return fault + ", once/" + operation
	}
	return fault + "/" + operation
}

func matrix(outcomes map[string]string) string {
	var b strings.Builder
	row := func(first string, others []string) {
		fmt.Fprintf(&b, "\n%-26s", first)
		for _, o := range others {
			fmt.Fprintf(&b, "%-26s", o)
		}
	}
	row("", phrase.Each(operations, func(op operation) string { return op.name }))
	for _, times := range []int{1, math.MaxInt} {
		for _, f := range faults {
			if !f.repeated && times == 1 {
				continue
			}
			first, _, _ := strings.Cut(cell(f.name, "", times), "/")
			row(first, phrase.Each(operations, func(op operation) string { return cmp.Or(outcomes[cell(f.name, op.name, times)], "-") }))
		}
	}
	return b.String()
}

// faultTest is one cell.
type faultTest struct {
	fault  fault
	method string
	times  int
	proxy  *faultProxy
	direct *controlplane.Client // past the proxy
	*providertest.Session
}

// withDefaultMesh starts a control plane that has the mesh "default".
func withDefaultMesh(t *testing.T) (*embedded.Server, *controlplane.Client) {
	t.Helper()
	server, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2()})
	testworld.NoError(t, err)
	client := providertest.ClientOf(t, server)
	providertest.Put(t, client, kuma.Resource{Type: "Mesh", Name: "default", Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}})
	return server, client
}

func newFaultTest(t *testing.T, f fault, method string, times int) *faultTest {
	t.Helper()
	server, direct := withDefaultMesh(t)
	proxy := newFaultProxy(t, server)
	return &faultTest{f, method, times, proxy, direct, providertest.NewSession(t, "kuma_mesh_timeout", map[string]any{
		"endpoint": proxy.Server.URL, "token": faultToken, "max_retries": 1, "request_timeout": cmp.Or(f.timeout, "1m"),
		"tls": map[string]any{"ca_certificate": proxy.CA},
	})}
}

// mostHits is how many requests an operation sends before it gives up: a write, a look at
// what it did, and a repetition, each with a retry.
const mostHits = 6

const faultToken = "eyJ-the-token-of-the-test"

// start begins the fault.
func (f *faultTest) start() {
	if f.fault.present != nil {
		f.proxy.Present(f.fault.present().Good)
		return
	}
	f.proxy.Hit(f.method, f.times, f.fault.down, f.fault.inject)
}

// timeoutOf is the configuration of the resource of the test.
func timeoutOf(idle string) map[string]any {
	return map[string]any{"mesh": "default", "name": "web", "spec": map[string]any{"to": []any{map[string]any{
		"target_ref": map[string]any{"kind": "Mesh"}, "default": map[string]any{"idle_timeout": idle},
	}}}}
}

// storedIdle returns the timeout that the control plane has, empty when the resource
// is not there.
func storedIdle(t *testing.T, client *controlplane.Client) string {
	t.Helper()
	r, err := client.List(context.Background(), kinds.MeshTimeout, "default")
	if err != nil || len(r) > 1 {
		t.Fatalf("the control plane has %d policies (%v)", len(r), err)
	}
	if len(r) == 0 {
		return ""
	}
	return idleTimeout.FindStringSubmatch(fmt.Sprint(r[0].Spec()))[1]
}

var idleTimeout = regexp.MustCompile(`idleTimeout:(\w+)`)

// inState returns the timeout that is in the state, empty when there is none.
func (f *faultTest) inState(t *testing.T) string {
	t.Helper()
	if f.State().IsNull() {
		return ""
	}
	at := tftypes.NewAttributePath().WithAttributeName("spec").WithAttributeName("to").WithElementKeyInt(0).WithAttributeName("default").WithAttributeName("idle_timeout")
	v, _, err := tftypes.WalkAttributePath(f.State(), at)
	testworld.NoError(t, err)
	var idle string
	testworld.NoError(t, v.(tftypes.Value).As(&idle))
	return idle
}

// run runs the operation, and returns the outcome.
func (f *faultTest) run(t *testing.T, operation string) string {
	t.Helper()
	if operation != "create" {
		mustSucceed(t, f.Apply(t, timeoutOf("1s"), nil))
	}
	before := f.inState(t)
	var diags []*tfprotov6.Diagnostic
	wanted := "1s"
	switch operation {
	case "create":
		diags = f.Apply(t, timeoutOf("1s"), f.start)
	case "update":
		wanted = "2s"
		diags = f.Apply(t, timeoutOf("2s"), f.start)
	case "delete":
		wanted = ""
		diags = f.Apply(t, nil, f.start)
	case "read":
		f.start()
		diags = f.Refresh(t)
	case "list":
		f.start()
		diags = f.list(t)
	}
	outcome := f.judge(t, operation, wanted, before, diags)
	hits := f.proxy.Heal()
	if hits == 0 && f.fault.present == nil {
		t.Error("no request met the fault")
	}
	if hits > mostHits {
		t.Errorf("%d requests met the fault, want at most %d", hits, mostHits)
	}
	f.converge(t, operation, wanted)
	return outcome
}

func (f *faultTest) list(t *testing.T) []*tfprotov6.Diagnostic {
	t.Helper()
	v, diags := f.Read(t, "kuma_resources", map[string]any{"type": "MeshTimeout", "mesh": "default"})
	var found map[string]tftypes.Value
	var resources []tftypes.Value
	if providertest.HasErrors(diags) {
		return diags
	}
	testworld.NoError(t, v.As(&found))
	if err := found["resources"].As(&resources); err != nil || len(resources) != 1 {
		t.Errorf("the list has %d resources (%v), want 1", len(resources), err)
	}
	return diags
}

// judge compares the diagnostics with the state and with the control plane.
func (f *faultTest) judge(t *testing.T, operation, wanted, before string, diags []*tfprotov6.Diagnostic) string {
	t.Helper()
	stored := storedIdle(t, f.direct)
	ok := !providertest.HasErrors(diags)
	for _, said := range providertest.Told(diags) {
		if !nextStep.MatchString(said) || !strings.Contains(said, "/meshes/default") {
			t.Errorf("no request or no next step in %q", said)
		}
		if strings.Contains(said, faultToken) {
			t.Errorf("the token is in %q", said)
		}
	}
	if !ok && f.fault.done && f.method != http.MethodGet {
		t.Errorf("it was applied, but not checked: %q", providertest.Told(diags))
	}
	if !ok && f.times == 1 {
		t.Errorf("it was not retried: %q", providertest.Told(diags))
	}
	if ok && stored != wanted {
		t.Errorf("it is said to have succeeded, and the control plane has %q instead of %q", stored, wanted)
	}
	state := f.inState(t)
	switch operation {
	case "create":
		if unknown := f.fault.down && stored == ""; state != stored && !unknown {
			t.Errorf("state %q, the control plane has %q: what is created is in the state, and nothing else", state, stored)
		}
	case "update":
		if stored == "" || state == "" || ok && state != wanted {
			t.Errorf("state %q, the control plane has %q", state, stored)
		}
	case "delete":
		if (state == "") != ok {
			t.Errorf("success %t, state %q", ok, state)
		}
	default:
		if state != before || stored != before {
			t.Errorf("state %q became %q, the control plane has %q", before, state, stored)
		}
	}
	return describe(ok, operation, state, stored, wanted)
}

// nextStep matches the part of a message that says what to do.
var nextStep = regexp.MustCompile(`\. (Try again|The server asks to retry|Check|Renew|Trust|Set|Use|Get a new|Increase|Run it again)\b|Apply again`)

func describe(ok bool, operation, state, stored, wanted string) string {
	switch {
	case ok:
		return "ok"
	case operation == "read" || operation == "list":
		return "error, nothing changes"
	case stored != wanted:
		return "error, not done"
	case state != wanted:
		return "error, done, state is old"
	default:
		return "error, done, state is new"
	}
}

// converge applies once more, without a fault.
func (f *faultTest) converge(t *testing.T, operation, wanted string) {
	t.Helper()
	if !f.State().IsNull() {
		mustSucceed(t, f.Refresh(t))
	}
	config := timeoutOf(wanted)
	if wanted == "" {
		config = nil
	}
	if config != nil || !f.State().IsNull() {
		mustSucceed(t, f.Apply(t, config, nil))
	}
	if stored := storedIdle(t, f.direct); stored != wanted || f.inState(t) != wanted {
		t.Errorf("after the %s and one more apply the control plane has %q, want %q; state %q", operation, stored, wanted, f.inState(t))
	}
}

func mustSucceed(t *testing.T, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	if providertest.HasErrors(diags) {
		t.Fatal(providertest.Told(diags))
	}
}

package request_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// recordedWorld is a line of recorded.jsonl.gz: a mesh, and what happens to requests in it
// according to the configuration that a control plane generated for connected proxies. Durations
// are in seconds, and zero stands for no limit; shares are in percent.
type recordedWorld struct {
	ID, Release, Mode, Mesh string
	Documents, Services     []map[string]any
	Requests                []recordedRequest
	Answers                 []recordedAnswer
}

type recordedRequest struct {
	From string
	To   struct {
		Kind, Name string
		Port       int
	}
	Method, Path   string
	Headers, Query map[string]string
}

type recordedAnswer struct {
	Outbound, Result, Verdict string
	Route                     *struct {
		Policy *struct{ Kind, Name string }
		Match  any
	}
	Redirect *struct {
		Status, Port           int
		Scheme, Hostname, Path string
	}
	DirectResponse  *struct{ Share float64 } `json:"direct_response"`
	Rewrite         struct{ Path, Host *string }
	RequestHeaders  headerChanges `json:"request_headers"`
	ResponseHeaders headerChanges `json:"response_headers"`
	Timeouts        map[string]*float64
	Retry           *struct {
		On                   []string
		Num                  int
		PerTry               float64                                    `json:"per_try_timeout"`
		BackOff              struct{ BaseInterval, MaxInterval string } `json:"retryBackOff"`
		RetriableStatusCodes []int
		Methods              []struct {
			Name        string
			StringMatch struct{ Exact string }
		} `json:"retriableRequestHeaders"`
	}
	ConnectAttempts int `json:"max_connect_attempts"`
	Mirrors         []struct {
		Backend recordedBackendName
		Percent float64
	}
	Backends []recordedBackend
}

type headerChanges struct {
	Set, Add [][2]string
	Remove   []string
}

type recordedBackendName struct {
	Kind, Name string
	Port       int
}

type recordedBackend struct {
	Backend         recordedBackendName
	Share           float64
	ShareSameRandom *float64 `json:"share_same_random"`
	Timeouts        map[string]*float64
	ClientTLS       any `json:"client_tls"`
	Endpoints       []recordedEndpoint
	Verdict         string
}

type recordedEndpoint struct {
	Dataplane, Inbound, Protocol, Verdict string
	ServerTLS                             string `json:"server_tls"`
	Timeouts                              map[string]*float64
	RateLimits                            []struct {
		Requests, Status int
		Interval         float64
	} `json:"rate_limits"`
	ConnectionLimits []struct {
		Connections int
		Interval    float64
	} `json:"connection_limits"`
	Faults []struct {
		Abort *struct {
			Status  int
			Percent float64
		}
		Delay     *struct{ Seconds, Percent float64 }
		Bandwidth *struct{ Kbps, Percent float64 }
	}
	Permission *struct{ By, Form string }
}

// recordedVerdicts are our words for those of the records.
var recordedVerdicts = map[string]request.Verdict{
	"allowed": request.Allowed, "denied": request.Denied, "refused": request.TLSFailed, "mixed": request.Mixed,
	"no_endpoints": request.NoHealthy, "config_error": request.Unknown, "redirect": request.Redirected,
	"no_outbound": request.Unreachable, "closed": request.NoHealthy, "direct_response": request.Failed, "not_found": request.NoRoute,
}

// TestRecordedRequests compares answers, field by field, with what a control plane generated.
// The worlds are those of a generator that shares nothing with package randomworld.
func TestRecordedRequests(t *testing.T) {
	t.Parallel()
	compared, different, unknown := 0, 0, 0
	for _, w := range recordedWorlds(t) {
		send := w.simulation(t)
		for i, r := range w.Requests {
			c := comparison{world: w, recorded: w.Answers[i], request: r, name: fmt.Sprintf("%s/%d", w.ID, i)}
			answer, err := send(r)
			if c.answer = answer; err != nil {
				c.equal("error", w.Answers[i].Verdict == "no_outbound" && strings.Contains(err.Error(), "port"), w.Answers[i].Verdict, err)
			} else {
				c.compare()
			}
			compared += c.compared
			different += len(c.differences)
			if answer.Verdict == request.Unknown {
				unknown++
			}
			for _, d := range c.differences {
				t.Error(d)
			}
		}
	}
	t.Logf("%d fields compared, %d different; %d requests unknown", compared, different, unknown)
}

func recordedWorlds(t *testing.T) []recordedWorld {
	t.Helper()
	file, err := os.Open("testdata/recorded.jsonl.gz")
	testworld.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	testworld.NoError(t, err)
	var worlds []recordedWorld
	lines := bufio.NewScanner(unzipped)
	for lines.Buffer(nil, 1<<24); lines.Scan(); {
		var w recordedWorld
		testworld.NoError(t, json.Unmarshal(lines.Bytes(), &w))
		worlds = append(worlds, w)
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	return worlds
}

// simulation returns how to ask for a request in the mesh as the control plane stored it.
func (w recordedWorld) simulation(t *testing.T) func(recordedRequest) (request.Answer, error) {
	t.Helper()
	release := kuma.ParseRelease(w.Release)
	cp := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: release}
	resources := map[kuma.Key]kuma.Resource{}
	var mesh kuma.Resource
	for _, d := range w.Documents {
		r := testworld.FromDocument(t, decoded(t, d))
		if r.Type == kuma.KindMesh {
			mesh = r
		}
		k, _ := kinds.Find(r.Type)
		resources[r.Key()] = k.Store(r, def.StoreContext{ControlPlane: cp, Mesh: mesh})
	}
	for _, d := range w.Services {
		d["mesh"] = w.Mesh
		r := testworld.FromDocument(t, decoded(t, d))
		if _, ok := resources[r.Key()]; !ok {
			resources[r.Key()] = r // generated
		}
	}
	var all []kuma.Resource
	for _, r := range resources {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b kuma.Resource) int { return kuma.CompareKeys(a.Key(), b.Key()) })
	sim := request.New(rules.NewSnapshotFor(release, all).RestrictOutbound(cp.RestrictsOutbound()))
	sim.RestFails, sim.EmptyFails = false, false // which is stated for 3.0.1, and was recorded before
	return func(r recordedRequest) (request.Answer, error) {
		return sim.Send(request.Request{
			Mesh: w.Mesh, Dataplane: r.From, Service: request.Service{Kind: r.To.Kind, Name: r.To.Name, Port: r.To.Port},
			Method: r.Method, Path: r.Path, Headers: r.Headers, Query: r.Query,
		})
	}
}

// decoded returns a document with numbers as package tree decodes them.
func decoded(t *testing.T, document map[string]any) any {
	t.Helper()
	data, err := json.Marshal(document)
	testworld.NoError(t, err)
	return testworld.JSON(t, string(data))
}

// comparison compares one answer.
type comparison struct {
	name        string
	world       recordedWorld
	request     recordedRequest
	recorded    recordedAnswer
	answer      request.Answer
	compared    int
	differences []string
}

func (c *comparison) equal(field string, same bool, recorded, ours any) bool {
	if c.compared++; !same {
		c.differences = append(c.differences, fmt.Sprintf("%s: %s: recorded %v, ours %v", c.name, field, show1(recorded), show1(ours)))
	}
	return same
}

func show1(v any) string {
	if err, ok := v.(error); ok {
		return err.Error()
	}
	data, _ := json.Marshal(v)
	return string(data)
}

func same(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

// seconds returns a timeout: zero if it does not exist.
func seconds(t *request.Timeout) float64 {
	if t == nil {
		return 0
	}
	return t.Duration.Seconds()
}

func (c *comparison) timeout(field string, recorded *float64, ours *request.Timeout, initial float64) {
	want := initial
	if recorded != nil {
		want = *recorded
	}
	c.equal(field, same(want, seconds(ours)), want, seconds(ours))
}

func (c *comparison) compare() {
	a, m := c.recorded, c.answer
	if strings.Contains(fmt.Sprint(m), "gets no configuration: the path of its MeshIdentity") {
		return // such a proxy keeps its older configuration, which was not recorded
	}
	want := recordedVerdicts[a.Verdict]
	if a.Verdict == "closed" && m.Verdict == request.Unreachable {
		want = m.Verdict
	}
	if !c.equal("verdict", want == m.Verdict, a.Verdict, []any{m.Verdict, m.Reason}) && (a.Result == "config_error" || m.Verdict == request.Unknown) {
		return
	}
	switch a.Result {
	case "no_outbound", "closed", "config_error":
		return
	}
	if a.Outbound == "http" {
		c.route()
	}
	if a.Redirect != nil {
		c.redirect()
	}
	if a.Outbound == "http" && (a.Result == "redirect" || a.Result == "forward") {
		c.responseHeaders()
	}
	if a.Result != "forward" {
		return
	}
	c.share500()
	if a.Outbound == "http" {
		c.forwarded()
		c.timeout("request timeout", a.Timeouts["request"], m.Timeouts.Request, 0)
		c.timeout("stream idle timeout", a.Timeouts["stream_idle"], m.Timeouts.StreamIdle, 0)
		c.retry()
		c.mirrors()
	} else {
		c.timeout("idle timeout", a.Timeouts["idle"], m.Timeouts.Idle, 0)
		attempts := 1
		if m.Retry != nil {
			attempts += m.Retry.Attempts
		}
		c.equal("connect attempts", a.ConnectAttempts == attempts, a.ConnectAttempts, attempts)
	}
	c.backends()
}

func (c *comparison) route() {
	recorded, ours := c.recorded.Route, c.answer.Route
	if recorded == nil {
		return
	}
	if recorded.Policy == nil || ours == nil {
		c.equal("route", recorded.Policy == nil && ours == nil, recorded.Policy, ours)
		return
	}
	if !c.equal("route", recorded.Policy.Kind == ours.Policy.Type && recorded.Policy.Name == ours.Policy.Name, recorded.Policy, ours.Policy) {
		return
	}
	for _, d := range c.world.Documents {
		if d["type"] != ours.Policy.Type || d["name"] != ours.Policy.Name {
			continue
		}
		rule := tree.At(d, tree.Path{"spec", "to", ours.Entry, "rules", ours.Rule})
		var forms []string
		for _, match := range tree.List(tree.Object(rule)["matches"]) {
			forms = append(forms, formsOf(tree.Object(match))...)
		}
		c.equal("match", slices.Contains(forms, show1(recorded.Match)), recorded.Match, ours.Condition)
	}
}

// formsOf returns the forms in which a match of a document is recorded.
func formsOf(match map[string]any) (forms []string) {
	var headers, queries []string
	for _, h := range tree.List(match["headers"]) {
		headers = append(headers, tree.Text(tree.Object(h)["name"]))
	}
	if match["method"] != nil {
		headers = append(headers, ":method")
	}
	for _, q := range tree.List(match["queryParams"]) {
		queries = append(queries, tree.Text(tree.Object(q)["name"]))
	}
	slices.Sort(headers)
	slices.Sort(queries)
	path := tree.Object(match["path"])
	value := tree.Text(path["value"])
	paths := []map[string]string{{"prefix": "/"}}
	short := strings.TrimRight(value, "/")
	switch {
	case path == nil || path["type"] == "PathPrefix" && value == "/":
	case path["type"] == "Exact":
		paths = []map[string]string{{"exact": value}}
	case path["type"] == "RegularExpression":
		paths = []map[string]string{{"regex": value}}
	default:
		paths = []map[string]string{{"exact": short}, {"prefix": short + "/"}, {"exact": value}, {"prefix": value}, {"path_prefix": value}}
	}
	for _, p := range paths {
		form := map[string]any{"path": p}
		if headers != nil {
			form["headers"] = headers
		}
		if queries != nil {
			form["query"] = queries
		}
		forms = append(forms, show1(form))
	}
	return forms
}

func (c *comparison) redirect() {
	r, ours := c.recorded.Redirect, cmp.Or(c.answer.Redirect, &request.Redirect{})
	location := cmp.Or(r.Scheme, "http") + "://" + cmp.Or(r.Hostname, c.request.To.Name)
	if r.Port != 0 {
		location += ":" + strconv.Itoa(r.Port)
	}
	location += r.Path
	c.equal("redirect", r.Status == ours.Status && location == ours.Location, []any{r.Status, location}, ours)
}

func (c *comparison) responseHeaders() {
	var recorded, ours []string
	for action, pairs := range map[string][][2]string{"set": c.recorded.ResponseHeaders.Set, "add": c.recorded.ResponseHeaders.Add} {
		for _, p := range pairs {
			recorded = append(recorded, fmt.Sprint(action, p[0], "=", p[1]))
		}
	}
	for _, name := range c.recorded.ResponseHeaders.Remove {
		recorded = append(recorded, fmt.Sprint("remove", name, "="))
	}
	for _, h := range c.answer.Forwarded.ResponseHeaders {
		ours = append(ours, fmt.Sprint(h.Action, strings.ToLower(h.Name), "=", h.Value))
	}
	slices.Sort(recorded)
	slices.Sort(ours)
	c.equal("response headers", slices.Equal(recorded, ours), recorded, ours)
}

func (c *comparison) share500() {
	recorded, ours := 0.0, 0.0
	if c.recorded.DirectResponse != nil {
		recorded = c.recorded.DirectResponse.Share
	}
	for _, b := range c.answer.Backends {
		if b.Verdict == request.Failed {
			ours += shareOf(b)
		}
	}
	c.equal("share of 500", math.Abs(recorded-ours) < 0.01, recorded, ours)
}

func shareOf(b request.Backend) float64 {
	share, _ := b.Share.Float64()
	return 100 * share
}

func (c *comparison) forwarded() {
	f := c.answer.Forwarded
	path := normalPath(c.request.Path)
	if c.recorded.Rewrite.Path != nil {
		path = *c.recorded.Rewrite.Path
	}
	c.equal("forwarded path", path == f.Path, path, f.Path)
	host := c.request.To.Name
	if c.recorded.Rewrite.Host != nil {
		host = *c.recorded.Rewrite.Host
	}
	if host != "(endpoint)" {
		c.equal("forwarded host", host == f.Host, host, f.Host)
	}
	recorded, ours := map[string]string{}, map[string]string{}
	for name, value := range c.request.Headers {
		recorded[strings.ToLower(name)] = value
	}
	for _, name := range c.recorded.RequestHeaders.Remove {
		delete(recorded, name)
	}
	for _, h := range c.recorded.RequestHeaders.Set {
		recorded[h[0]] = h[1]
	}
	for _, h := range c.recorded.RequestHeaders.Add {
		if old, ok := recorded[h[0]]; ok {
			h[1] = old + "," + h[1]
		}
		recorded[h[0]] = h[1]
	}
	for name, value := range f.Headers {
		ours[strings.ToLower(name)] = value
	}
	c.equal("forwarded headers", show1(recorded) == show1(ours), recorded, ours)
}

var escape = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// normalPath returns a path without dot segments, and without escapes that are not needed.
func normalPath(path string) string {
	path = escape.ReplaceAllStringFunc(path, func(e string) string {
		code, _ := strconv.ParseUint(e[1:], 16, 8)
		if char := string(rune(code)); regexp.MustCompile(`^[A-Za-z0-9\-._~]$`).MatchString(char) {
			return char
		}
		return strings.ToUpper(e)
	})
	var out []string
	segments := strings.Split(path, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 1 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	return cmp.Or(strings.Join(out, "/"), "/")
}

func (c *comparison) retry() {
	r, ours := c.recorded.Retry, c.answer.Retry
	if r != nil {
		var methods []string
		for _, h := range r.Methods {
			if h.Name == ":method" {
				methods = append(methods, h.StringMatch.Exact)
			}
		}
		if methods != nil && !slices.Contains(methods, c.request.Method) {
			r = nil
		}
	}
	if !c.equal("retry", (r == nil) == (ours == nil), r, ours) || r == nil {
		return
	}
	on := slices.DeleteFunc(slices.Clone(r.On), func(s string) bool { return s == "" || s == "retriable-status-codes" })
	for _, code := range r.RetriableStatusCodes {
		on = append(on, strconv.Itoa(code))
	}
	slices.Sort(on)
	theirs := slices.Sorted(slices.Values(ours.On))
	c.equal("retry attempts", r.Num == ours.Attempts, r.Num, ours.Attempts)
	c.equal("retry on", slices.Equal(on, theirs), on, theirs)
	c.equal("retry per try", same(r.PerTry, ours.PerTry.Seconds()), r.PerTry, ours.PerTry.Seconds())
	base, err := strconv.ParseFloat(strings.TrimSuffix(r.BackOff.BaseInterval, "s"), 64)
	if err != nil {
		base = 0.025
	}
	most, err := strconv.ParseFloat(strings.TrimSuffix(r.BackOff.MaxInterval, "s"), 64)
	if err != nil {
		most = 10 * base
	}
	c.equal("retry back off", same(base, ours.Base.Seconds()) && same(most, ours.Max.Seconds()), []float64{base, most}, []any{ours.Base, ours.Max})
}

func (c *comparison) mirrors() {
	var recorded, ours []string
	for _, m := range c.recorded.Mirrors {
		recorded = append(recorded, fmt.Sprintf("%s %s %.3f", m.Backend.Kind, m.Backend.Name, m.Percent))
	}
	for _, m := range c.answer.Mirrors {
		share, _ := m.Share.Float64()
		kind, name := m.Port.Resource.Type, m.Port.Resource.Name
		if m.Tags != nil {
			kind, name = "service-tag", m.Tags[kuma.TagService]
		}
		ours = append(ours, fmt.Sprintf("%s %s %.3f", kind, name, 100*share))
	}
	slices.Sort(recorded)
	slices.Sort(ours)
	c.equal("mirrors", slices.Equal(recorded, ours), recorded, ours)
}

func (c *comparison) backends() {
	recorded, ours := map[string]recordedBackend{}, map[string]request.Backend{}
	recordedShares, shares := map[string]float64{}, map[string]float64{}
	for _, b := range c.recorded.Backends {
		name := fmt.Sprint(b.Backend)
		if _, ok := recorded[name]; !ok {
			recorded[name] = b
		}
		if b.ShareSameRandom != nil {
			b.Share = *b.ShareSameRandom
		}
		recordedShares[name] += b.Share
	}
	for _, b := range c.answer.Backends {
		if b.Verdict == request.Failed {
			continue
		}
		name := fmt.Sprint(recordedBackendName{b.Port.Resource.Type, b.Port.Resource.Name, b.Port.Number})
		if b.Tags != nil {
			name = fmt.Sprint(recordedBackendName{"service-tag", b.Tags[kuma.TagService], 0})
		}
		if _, ok := ours[name]; !ok {
			ours[name] = b
		}
		shares[name] += shareOf(b)
	}
	if !c.equal("backends", show1(keys(recorded)) == show1(keys(ours)), keys(recorded), keys(ours)) {
		return
	}
	for name, r := range recorded {
		b := ours[name]
		c.equal("share of "+name, math.Abs(recordedShares[name]-shares[name]) < 0.01, recordedShares[name], shares[name])
		c.equal("verdict of "+name, recordedVerdicts[r.Verdict] == b.Verdict, r.Verdict, []any{b.Verdict, b.Reason})
		c.timeout("connect timeout", r.Timeouts["connect"], b.Timeouts.Connect, 0)
		if c.recorded.Outbound == "http" {
			c.timeout("idle timeout", r.Timeouts["http_idle"], b.Timeouts.Idle, 3600)
			c.timeout("maximum stream duration", r.Timeouts["max_stream"], b.Timeouts.MaxStream, 0)
			c.timeout("maximum connection duration", r.Timeouts["max_connection"], b.Timeouts.MaxConnection, 0)
		}
		c.endpoints(name, r, b)
	}
}

func keys[V any](m map[string]V) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

func (c *comparison) endpoints(name string, r recordedBackend, b request.Backend) {
	recorded, ours := map[string]recordedEndpoint{}, map[string]request.Proxy{}
	for _, e := range r.Endpoints {
		if e.Dataplane != "" {
			recorded[e.Dataplane+" "+e.Inbound] = e
		}
	}
	for _, p := range b.Proxies {
		ours[p.Dataplane+" "+cmp.Or(p.Inbound.Name, strconv.Itoa(p.Inbound.Port))] = p
	}
	if !c.equal("endpoints of "+name, show1(keys(recorded)) == show1(keys(ours)), keys(recorded), keys(ours)) {
		return
	}
	for at, e := range recorded {
		p := ours[at]
		c.equal("verdict of "+at, recordedVerdicts[e.Verdict] == p.Verdict, e.Verdict, []any{p.Verdict, p.Reason})
		if e.Permission == nil {
			continue
		}
		c.equal("client TLS of "+at, (r.ClientTLS != nil) == p.TLS, r.ClientTLS, p.TLS)
		security := map[string]request.Security{"strict": request.MutualTLS, "permissive": request.Permissive, "off": request.Plaintext}[e.ServerTLS]
		if e.ServerTLS == "permissive" && r.ClientTLS != nil {
			security = request.MutualTLS
		}
		c.equal("security of "+at, security == p.Security, e.ServerTLS, p.Security)
		c.permission(at, e, p)
		c.incomingTimeouts(e, p)
		c.limits(at, e, p)
		c.faults(at, e, p)
	}
}

func (c *comparison) permission(at string, e recordedEndpoint, p request.Proxy) {
	by := ""
	switch {
	case len(p.By) > 0:
		by = p.By[0].Name
	case p.Security == request.MutualTLS:
		by = "default"
	}
	if e.Permission.Form != "from" {
		c.equal("permission of "+at, e.Permission.By == by, e.Permission.By, by)
		return
	}
	// the configuration does not name policies with `from`
	named := slices.ContainsFunc(c.world.Documents, func(d map[string]any) bool {
		return d["type"] == "MeshTrafficPermission" && d["name"] == by && tree.Object(d["spec"])["from"] != nil
	})
	c.equal("permission of "+at, named || e.Permission.By == "" && by == "default", e.Permission.By, by)
}

func (c *comparison) incomingTimeouts(e recordedEndpoint, p request.Proxy) {
	for field, ours := range map[string]*request.Timeout{
		"request": p.Timeouts.Request, "stream_idle": p.Timeouts.StreamIdle, "connect": p.Timeouts.Connect,
		"http_idle": p.Timeouts.Idle, "idle": p.Timeouts.Idle, "max_stream": p.Timeouts.MaxStream, "max_connection": p.Timeouts.MaxConnection,
	} {
		if field == "idle" && e.Protocol == "http" || field == "http_idle" && e.Protocol == "tcp" || e.Timeouts[field] == nil && ours == nil {
			continue
		}
		initial := 0.0
		if strings.HasSuffix(field, "idle") && seconds(ours) == 3600 {
			initial = 3600
		}
		c.timeout("incoming "+field, e.Timeouts[field], ours, initial)
	}
}

func (c *comparison) limits(at string, e recordedEndpoint, p request.Proxy) {
	var recorded, ours []any
	for _, l := range e.RateLimits {
		recorded = append(recorded, []any{l.Requests, l.Interval, l.Status})
	}
	if p.Requests != nil {
		ours = append(ours, []any{p.Requests.Number, p.Requests.Interval.Seconds(), p.Requests.Status})
	}
	for _, l := range e.ConnectionLimits {
		recorded = append(recorded, []any{l.Connections, l.Interval})
	}
	if p.Connections != nil {
		ours = append(ours, []any{p.Connections.Number, p.Connections.Interval.Seconds()})
	}
	c.equal("limits of "+at, show1(recorded) == show1(ours), recorded, ours)
}

var bandwidth = regexp.MustCompile(`^(\d+)\s*(\w+)$`)

func (c *comparison) faults(at string, e recordedEndpoint, p request.Proxy) {
	if slices.ContainsFunc(c.answer.NotConsidered, func(s string) bool { return strings.Contains(s, "MeshFaultInjection") }) {
		return
	}
	var recorded, ours []string
	for _, f := range e.Faults {
		if f.Abort != nil {
			recorded = append(recorded, fmt.Sprintf("abort %d %.3f", f.Abort.Status, f.Abort.Percent))
		}
		if f.Delay != nil {
			recorded = append(recorded, fmt.Sprintf("delay %.3f %.3f", f.Delay.Seconds, f.Delay.Percent))
		}
		if f.Bandwidth != nil {
			recorded = append(recorded, fmt.Sprintf("bandwidth %.0f %.3f", f.Bandwidth.Kbps, f.Bandwidth.Percent))
		}
	}
	for _, f := range p.Faults {
		share, _ := f.Share.Float64()
		share *= 100
		switch {
		case f.Status != 0:
			ours = append(ours, fmt.Sprintf("abort %d %.3f", f.Status, share))
		case f.Delay != 0:
			ours = append(ours, fmt.Sprintf("delay %.3f %.3f", f.Delay.Seconds(), share))
		default:
			parts := bandwidth.FindStringSubmatch(f.Bandwidth)
			number, _ := strconv.ParseFloat(parts[1], 64)
			ours = append(ours, fmt.Sprintf("bandwidth %.0f %.3f", number*map[string]float64{"kbps": 1, "Mbps": 1e3, "Gbps": 1e6}[parts[2]], share))
		}
	}
	slices.Sort(recorded)
	slices.Sort(ours)
	c.equal("faults of "+at, slices.Equal(recorded, ours), recorded, ours)
}

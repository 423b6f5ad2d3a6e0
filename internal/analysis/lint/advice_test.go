package lint_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestAdviceForTopLevelRoutes follows the advice of top-level-route, deprecated and
// route-entry-by-tags, and compares the timeouts of requests: measured on 2.14.3.
func TestAdviceForTopLevelRoutes(t *testing.T) {
	t.Parallel()
	const (
		base = `{type: Dataplane, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 8080, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}
---
{type: MeshService, name: api, labels: {app: api}, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, targetPort: 8080, name: main, appProtocol: http}]}}
---
{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: PathPrefix, value: /slow}}], default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}}]}]}}
---
{type: Dataplane, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, tags: {kuma.io/service: web}}], outbound: [{port: 9000, %s}]}}`
		byRef     = "backendRef: {kind: MeshService, name: api, port: 80}"
		byTag     = "tags: {kuma.io/service: api}"
		route     = "{kind: MeshHTTPRoute, name: r}"
		anywhere  = "{kind: Mesh}"
		ofService = "{kind: MeshService, name: api}"
	)
	top := timeout("t", "targetRef: "+route+", to: ["+to(anywhere, "30s")+"]")
	entry := timeout("t", "to: ["+to(route, "30s")+"]")
	for name, tt := range map[string]struct {
		outbound         string
		policies         []string
		slow, everything string // timeouts of requests; those of others
	}{
		"top-level, by reference":    {byRef, []string{top}, "15s", "15s"},
		"advice, by reference":       {byRef, []string{entry}, "30s", "15s"},
		"top-level, by tag":          {byTag, []string{top}, "30s", "0s"},
		"entry for the route by tag": {byTag, []string{timeout("t", "to: ["+to(ofService, "5s")+", "+to(route, "30s")+"]")}, "0s", "0s"},
		"advice, by tag":             {byTag, []string{timeout("s", "to: ["+to(ofService, "5s")+"]"), entry}, "5s", "5s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := request.New(snapshotOf(t, append([]string{fmt.Sprintf(base, tt.outbound)}, tt.policies...)...))
			for path, want := range map[string]string{"/slow": tt.slow, "/": tt.everything} {
				answer, err := sim.Send(request.Request{Mesh: kuma.DefaultMesh, Dataplane: "web-1", Service: request.Service{Host: "127.0.0.1", Port: 9000}, Path: path})
				if err != nil || len(answer.Backends) == 0 || answer.Timeouts.Request == nil || answer.Timeouts.Request.Duration.String() != want {
					t.Errorf("%s: %s %s, %+v, want %s, %v", path, answer.Verdict, answer.Reason, answer.Timeouts.Request, want, err)
				}
			}
		})
	}
}

// TestAdviceOnDeprecations follows the advice about what is deprecated in the cases of
// testdata/deprecated/advice, and compares what happens to requests. Package oracle/proxies compares what a
// control plane sends to the proxies.
func TestAdviceOnDeprecations(t *testing.T) {
	t.Parallel()
	const dir = "testdata/deprecated/advice/"
	changes := map[string]bool{ // by advice that says so
		"from-beside-from":  true, // proxies ignore the other from
		"route-by-resource": true, // the route had no settings
		"limit-of-route":    true, // the same
	}
	world := testworld.Text(t, dir+"world.yaml")
	followed := map[string]bool{} // texts
	for _, file := range testworld.Files(t, dir+"*.before.yaml") {
		name := strings.TrimSuffix(filepath.Base(file), ".before.yaml")
		before := adviceWorld(t, world, testworld.Text(t, file))
		after := adviceWorld(t, world, testworld.Text(t, dir+name+".after.yaml"))
		was, is := deprecations(before), deprecations(after)
		for _, text := range was {
			if !slices.Contains(is, text) {
				followed[regexp.MustCompile(`by kind \w+`).ReplaceAllString(text, "by kind …")] = true
			}
		}
		for _, version := range []string{"2.9", "2.10", "2.11", "2.12", "2.13", "2.14"} {
			release := kuma.ParseRelease(version)
			if older := rules.NewSnapshotFor(release, resourcesOf(t, testworld.Text(t, file))); len(deprecations(older)) > 0 && name != "several-destinations" {
				checkRelease(t, name, release, testworld.Resources(t, testworld.Text(t, dir+name+".after.yaml")))
			}
		}
		if len(is) >= len(was) && name != "from-service" { // which is still in from
			t.Errorf("%s: the findings are %q, before %q", name, is, was)
		}
		if diff := cmp.Diff(sentOf(t, before), sentOf(t, after)); (diff != "") != changes[name] {
			t.Errorf("%s: requests (-before +after):\n%s", name, diff)
		}
	}
	testworld.Want(t, dir+"want.txt", strings.Join(slices.Sorted(maps.Keys(followed)), "\n")+"\n")
	without := map[string]string{
		"endpoint": "telemetry leaves by way of kuma-dp (kuma3.md §6.2)",
		"metrics":  "kuma-dp selects and labels the metrics of a MeshMetric (kuma3.md §6.2)", "skipMTLS": "part of metrics",
		"tracing": "effective only with a TrafficTrace (kuma3.md §6.2)", "logging": "effective only with a TrafficLog (kuma3.md §6.2)",
		"file": "a secret has the same content", "probes": "of Kubernetes", "health": "set by the control plane", "origin": "shown only",
	}
	for _, k := range kinds.All() {
		for f := range k.Root().All() {
			covered := strings.Contains(strings.Join(slices.Sorted(maps.Keys(followed)), " "), f.Name)
			if f.Deprecated != "" && !covered && without[f.Name] == "" {
				t.Errorf("no case follows the advice about %s of a %s", f.Name, k.Name)
			}
		}
	}
}

// checkRelease checks that a release has what advice names that it gives.
func checkRelease(t *testing.T, name string, release kuma.Release, followed []kuma.Resource) {
	t.Helper()
	for _, r := range followed {
		k, _ := kinds.Find(r.Type)
		for _, p := range def.Errors(k.ValidateIn(r.Document(), release)) {
			t.Errorf("%s: Kuma %s does not have what the advice names: %s: %s", name, release, p.Path, p.Detail)
		}
	}
}

// adviceWorld returns a mesh with policies, which all clients may call unless these are permissions.
func adviceWorld(t *testing.T, world, policies string) *rules.Snapshot {
	t.Helper()
	documents := []string{world, policies}
	if !strings.Contains(policies, "MeshTrafficPermission") {
		documents = append(documents, testworld.Text(t, "testdata/deprecated/advice/allow-all.yaml"))
	}
	return snapshotOf(t, documents...)
}

func deprecations(s *rules.Snapshot) []string {
	var texts []string
	for _, f := range lint.Mesh(s, kuma.DefaultMesh) {
		if f.Code == "deprecated" || f.Code == "several-destinations" {
			texts = append(texts, f.Suggestion)
		}
	}
	return texts
}

var (
	setBy = regexp.MustCompile(`\(Mesh\w+ "[^"]+"\)|(of|by) Mesh\w+ "[^"]+"`)
	names = regexp.MustCompile(`^(    permission|Verdict|Not considered)`)
)

// sentOf describes what happens to requests of the clients of a mesh, without the names of policies.
func sentOf(t *testing.T, s *rules.Snapshot) map[string]string {
	t.Helper()
	found := map[string]string{}
	sim := request.New(s)
	for _, dataplane := range s.Dataplanes(kuma.DefaultMesh) {
		for _, port := range []int{11000, 11001, 11002, 11003, 8080} {
			for _, path := range []string{"/", "/slow", "/a"} {
				host := "127.0.0.1"
				if dataplane == "edge-1" {
					host = "shop.example"
				}
				answer, err := sim.Send(request.Request{Mesh: kuma.DefaultMesh, Dataplane: dataplane, Service: request.Service{Host: host, Port: port}, Path: path})
				testworld.NoError(t, err)
				text := string(answer.Verdict)
				for _, line := range answer.Explanation {
					if !names.MatchString(line) {
						text += "\n" + strings.TrimSpace(setBy.ReplaceAllString(line, ""))
					}
				}
				found[fmt.Sprintf("%s %d %s", dataplane, port, path)] = text
			}
		}
	}
	return found
}

package explain_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// answerOf returns a snapshot of YAML documents, and its answer for the Dataplane
// "proxy".
func answerOf(t *testing.T, documents string) (*rules.Snapshot, rules.Answer) {
	t.Helper()
	s := rules.NewSnapshot(testworld.Resources(t, documents))
	answer, err := s.Dataplane("default", "proxy")
	testworld.NoError(t, err)
	return s, answer
}

// TestReports compares texts, diagrams and warnings with the files in testdata.
func TestReports(t *testing.T) {
	for _, file := range testworld.Files(t, "testdata/*/world.yaml") {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s, answer := answerOf(t, testworld.Text(t, file))
			diagram, err := explain.Diagram(s, answer)
			testworld.NoError(t, err)
			warnings, err := explain.Warnings(s, answer, planned(s))
			testworld.NoError(t, err)
			testworld.Want(t, filepath.Join(dir, "want.txt"), explain.Text(answer)+"\n")
			testworld.Want(t, filepath.Join(dir, "want.mmd"), diagram+"\n")
			testworld.Want(t, filepath.Join(dir, "want.warnings"), strings.Join(warnings, "\n")+"\n")
		})
	}
}

// planned returns the keys of all resources of the snapshot.
func planned(s *rules.Snapshot) []kuma.Key {
	var keys []kuma.Key
	for _, r := range s.Resources("default") {
		keys = append(keys, r.Key())
	}
	return keys
}

// crowd returns a mesh with many services, and as many policies for them.
func crowd(policies int) string {
	var b strings.Builder
	b.WriteString("{type: Mesh, name: default, meshServices: {mode: Exclusive}}\n---\n" +
		"type: Dataplane\nname: proxy\nnetworking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}\n")
	for i := range policies {
		fmt.Fprintf(&b, "---\ntype: MeshService\nname: s%03d\nspec: {ports: [{port: 80}]}\n---\ntype: MeshTimeout\nname: t%03d\nspec:\n  to:\n"+
			"    - {targetRef: {kind: Mesh}, default: {idleTimeout: %ds}}\n"+
			"    - {targetRef: {kind: MeshService, name: s%03d}, default: {idleTimeout: %dm}}\n", i, i, i, i, i)
	}
	return b.String()
}

// TestReportsAreBounded checks that the text and the diagram of a large mesh stay
// readable, and that GitHub can draw the diagram.
func TestReportsAreBounded(t *testing.T) {
	s, answer := answerOf(t, crowd(150))
	text := explain.Text(answer)
	if lines := strings.Count(text, "\n"); lines > 250 {
		t.Errorf("the text has %d lines", lines)
	}
	if want := "and 51 more destinations or inbounds: request fewer types or a single destination"; !strings.HasSuffix(text, want) {
		t.Errorf("the text ends with %q, want %q", text[max(0, len(text)-len(want)):], want)
	}
	if want := "    idleTimeout = 0s ← t000, overrides 1s of t001, 2s of t002, 3s of t003 and 146 more"; !strings.Contains(text, want) {
		t.Errorf("the text does not contain %q:\n%.500s", want, text)
	}
	diagram, err := explain.Diagram(s, answer)
	testworld.NoError(t, err)
	const githubTakes = 50_000
	if arrows := strings.Count(diagram, "->|"); len(diagram) > githubTakes || arrows != 60 {
		t.Errorf("the diagram has %d bytes and %d arrows", len(diagram), arrows)
	}
	if want := `left["and 151 more: request fewer types"]`; !strings.Contains(diagram, want) {
		t.Errorf("the diagram does not contain %s", want)
	}
}

// TestLongRoute checks that the values of one destination are bounded, too.
func TestLongRoute(t *testing.T) {
	var b strings.Builder
	b.WriteString("{type: Mesh, name: default}\n---\ntype: Dataplane\nname: proxy\nnetworking: {address: 10.0.0.1, inbound: [{port: 80}]}\n---\n" +
		"type: MeshTrace\nname: t\nspec:\n  default:\n")
	for i := range 300 {
		fmt.Fprintf(&b, "    member%d: %s\n", i, strings.Repeat("x", 100))
	}
	_, answer := answerOf(t, b.String())
	lines := strings.Split(explain.Text(answer), "\n")
	if got, want := lines[len(lines)-1], "    and 100 more values"; got != want {
		t.Errorf("the text ends with %q, want %q", got, want)
	}
	if got, want := lines[2], "    member0 = "+strings.Repeat("x", 79)+"… ← t"; got != want {
		t.Errorf("got line %q, want %q", got, want)
	}
}

func TestNothingToReport(t *testing.T) {
	s, answer := answerOf(t, "{type: Mesh, name: default}\n---\n{type: Dataplane, name: proxy, networking: {address: 10.0.0.1}}")
	if got, want := explain.Text(answer), "No policy has settings for this proxy."; got != want {
		t.Errorf("Text: got %q, want %q", got, want)
	}
	if got, err := explain.Diagram(s, answer); got != "flowchart LR" || err != nil {
		t.Errorf("Diagram: got %q, %v", got, err)
	}
	if got, err := explain.Warnings(s, answer, nil); len(got) > 0 || err != nil {
		t.Errorf("Warnings: got %q, %v", got, err)
	}
}

// TestAnswerOfAnotherSnapshot checks that errors are returned.
func TestAnswerOfAnotherSnapshot(t *testing.T) {
	_, answer := answerOf(t, testworld.Text(t, "testdata/quickstart/world.yaml"))
	s := rules.NewSnapshot(nil)
	if _, err := explain.Diagram(s, answer); err == nil {
		t.Error("Diagram of another snapshot: no error")
	}
	if _, err := explain.Warnings(s, answer, nil); err == nil {
		t.Error("Warnings of another snapshot: no error")
	}
	answer.Rules = nil
	if _, err := explain.Warnings(s, answer, nil); err == nil {
		t.Error("Warnings of another snapshot: no error")
	}
}

// TestWarnings checks each warning, next to a similar setting without one.
func TestWarnings(t *testing.T) {
	const world = `
type: Mesh
name: default
---
type: Dataplane
name: proxy
networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}
---
type: MeshService
name: cart
spec: {ports: [{port: 80, name: http}]}
---
`
	for name, tt := range map[string]struct {
		documents string
		types     []string
		want      []string
	}{
		"of the control plane": {
			`
type: MeshTimeout
name: t
spec:
  targetRef: {kind: MeshHTTPRoute, name: gone}
`, nil,
			[]string{
				`unable to resolve TargetRef on policy: mesh:default name:t error:"couldn't resolve MeshHTTPRoute targetRef with name 'gone'"`,
				`MeshTimeout "t" does not select Dataplane "proxy": MeshHTTPRoute "gone", which it selects, does not exist.`,
			},
		},
		"of another type": {`
type: MeshTimeout
name: t
spec:
  targetRef: {kind: Dataplane, name: other}
`, []string{"MeshRetry"}, []string{}},
		"of that type": {
			`
type: MeshTimeout
name: t
spec:
  targetRef: {kind: Dataplane, name: other}
`,
			[]string{"MeshTimeout"},
			[]string{`MeshTimeout "t" does not select Dataplane "proxy": its targetRef names Dataplane "other".`},
		},
		"a telemetry backend, which answers do not read": {
			`
type: MeshAccessLog
name: log
spec:
  to:
    - targetRef: {kind: Mesh}
      default:
        backends:
          - type: OpenTelemetry
            openTelemetry: {backendRef: {kind: MeshOpenTelemetryBackend, labels: {kuma.io/display-name: collector}}}
`, []string{"MeshAccessLog"}, []string{},
		},
		"backends": {
			"{type: MeshHTTPRoute, name: t, spec: {to: [{targetRef: {kind: MeshService, name: web}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [" +
				"{kind: MeshService, name: gone}, {kind: MeshServiceSubset, name: web, tags: {v: x}}]}}]}]}}", nil,
			[]string{
				`MeshHTTPRoute "t": spec.to[0].rules[0].default.backendRefs[0] refers to MeshService "gone", which does not exist, so it receives nothing.`,
				`MeshHTTPRoute "t": spec.to[0].rules[0].default.backendRefs[1] refers to MeshServiceSubset "web" with tags v=x, which does not exist, so its share of the requests fails.`,
			},
		},
		"destinations": {
			`
type: MeshTimeout
name: t
spec:
  to:
    - targetRef: {kind: MeshService, name: cart, sectionName: http}
      default: {}
    - targetRef: {kind: MeshService, name: web}
      default: {}
    - {targetRef: {kind: Mesh}, default: {}}
    - targetRef: {kind: MeshSubset, tags: {a: b}}
      default: {}
    - targetRef: {kind: MeshService, name: gone}
      default: {}
    - targetRef: {kind: MeshService, name: cart, sectionName: grpc}
      default: {}
    - targetRef:
        kind: MeshExternalService
        labels: {b: x, a: y}
      default: {}
    - targetRef: {kind: MeshHTTPRoute, name: gone}
      default: {}
`, nil,
			[]string{
				`MeshTimeout "t": to[4] targets MeshService "gone", which does not exist, so it has no effect.`,
				`MeshTimeout "t": to[5] targets MeshService "cart" with section grpc, which does not exist, so it has no effect.`,
				`MeshTimeout "t": to[6] targets MeshExternalService with labels a=y, b=x, which does not exist, so it has no effect.`,
				`MeshTimeout "t": to[7] targets MeshHTTPRoute "gone", which does not exist, so it has no effect.`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, answer := answerOf(t, world+tt.documents)
			got, err := explain.Warnings(s, answer, planned(s), tt.types...)
			testworld.NoError(t, err)
			testworld.Equal(t, "warnings", tt.want, got)
		})
	}
}

// TestSectionOfATagInModeExclusive checks that an entry for a missing port of a service that the proxy
// calls by its tag is not said to have no effect: the tag has no ports.
func TestSectionOfATagInModeExclusive(t *testing.T) {
	for outbound, want := range map[string]int{"tags: {kuma.io/service: api}": 0, "backendRef: {kind: MeshService, name: api, port: 80}": 1} {
		s, answer := answerOf(t, `{type: Mesh, name: default, meshServices: {mode: Exclusive}}
---
{type: Dataplane, name: proxy, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 9000, `+outbound+`}]}}
---
{type: Dataplane, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: MeshService, name: api, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80}]}}
---
{type: MeshTimeout, name: t, spec: {to: [{targetRef: {kind: MeshService, name: api, sectionName: admin}, default: {idleTimeout: 1s}}]}}
`)
		if warnings, err := explain.Warnings(s, answer, nil); err != nil || len(warnings) != want {
			t.Errorf("%s: %q, %v", outbound, warnings, err)
		}
	}
}

// TestTextOfGroupsIsBounded checks that groups after 400 lines are counted, together
// with those that were not added.
func TestTextOfGroupsIsBounded(t *testing.T) {
	t.Parallel()
	documents := []string{"{type: Mesh, name: default}", "{type: Dataplane, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}"}
	for i := range 150 {
		documents = append(documents,
			fmt.Sprintf("{type: MeshService, name: s%d, spec: {ports: [{port: 80}]}}", i),
			fmt.Sprintf("{type: MeshTimeout, name: s%d, spec: {to: [{targetRef: {kind: MeshService, name: s%d}, default: {idleTimeout: 1s}}]}}", i, i))
	}
	answer, err := rules.NewSnapshot(testworld.Resources(t, documents...)).Dataplane(kuma.DefaultMesh, "web-1", "MeshTimeout")
	testworld.NoError(t, err)
	var groups explain.Groups
	for range 5 {
		groups.Add([]string{"web-1", "web-2", "web-3", "web-4", "web-5"}, answer)
	}
	got := groups.Text(7)
	if n := strings.Count(got, "5 proxies: web-1, web-2, web-3 and 2 more\n  MeshTimeout\n    to MeshService"); n != 2 {
		t.Errorf("text describes %d groups, want 2:\n%s", n, got)
	}
	if want := "\n\nand 10 more groups of proxies"; !strings.HasSuffix(got, want) {
		t.Errorf("text ends in %q, want %q", got[len(got)-40:], want)
	}
	var none explain.Groups
	if got, want := none.Text(0), "No proxies match."; got != want {
		t.Errorf("text about no groups: got %q, want %q", got, want)
	}
}

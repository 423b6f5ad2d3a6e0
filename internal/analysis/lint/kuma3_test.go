package lint_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// known lists the conditions of kuma3.md.
const known = `
K3-001 K3-002 K3-003 K3-004 K3-005 K3-006 K3-007 K3-008 K3-009 K3-010 K3-011
K3-020 K3-021 K3-022 K3-023 K3-024 K3-025 K3-026
K3-030 K3-031 K3-032 K3-033 K3-034
K3-040 K3-041 K3-042 K3-043 K3-044 K3-045 K3-046
K3-050 K3-051 K3-052 K3-053
K3-060 K3-061 K3-062 K3-063 K3-064 K3-065 K3-066 K3-067 K3-068 K3-069
K3-070 K3-071 K3-072 K3-073 K3-074 K3-075 K3-076 K3-077 K3-078 K3-079 K3-080 K3-081 K3-082
K3-090 K3-091 K3-092 K3-093 K3-094 K3-095 K3-096 K3-097 K3-098 K3-099
K3-100 K3-101 K3-102 K3-103
K3-111
K3-120 K3-121
K3-201 K3-202 K3-203 K3-204 K3-205 K3-206 K3-207 K3-208 K3-210 K3-211 K3-212 K3-213 K3-214 K3-215 K3-216 K3-217 K3-218 K3-219
K3-220 K3-221 K3-222 K3-223 K3-224 K3-225 K3-226 K3-227 K3-228 K3-229 K3-230 K3-231 K3-232 K3-233 K3-234 K3-235`

// excused lists the conditions that are not checked, with the reason.
var excused = map[string]string{
	"K3-082": "it requires no action: 2.14 needs the list until it is replaced",
	"K3-099": "every Dataplane has the label, because 2.14 sets it",
	"K3-121": "it applies to every resource and requires no action",
	"K3-219": "tokens are not resources",
	"K3-224": "only the insight of a proxy shows its features",
	"K3-228": "it depends on the order in which zones are upgraded",
	"K3-230": "tokens are not resources",
	"K3-231": "it concerns the configuration of control planes",
}

func TestAllKuma3ConditionsAreChecked(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range kuma3.Conditions() {
		if why, ok := excused[c.ID]; ok {
			t.Errorf("%s is checked, although %s", c.ID, why)
		}
		got = append(got, c.ID)
	}
	slices.Sort(got)
	want := slices.DeleteFunc(strings.Fields(known), func(id string) bool { return excused[id] != "" })
	testworld.Equal(t, "conditions", want, got)
}

func TestKuma3OfMeshes(t *testing.T) {
	t.Parallel()
	for id, cases := range worldCases {
		for i, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", id, i), func(t *testing.T) {
				t.Parallel()
				var got []string
				for _, f := range findingsOf(id, lint.Kuma3(snapshotOf(t, c.unready), kuma.DefaultMesh)) {
					got = append(got, fmt.Sprintf("%s %s %s: %s", f.Resource.Type, f.Resource.Name, f.Path, f.Detail))
				}
				testworld.Equal(t, "findings", c.want, got)
				if got := findingsOf(id, lint.Kuma3(snapshotOf(t, c.ready), kuma.DefaultMesh)); len(got) > 0 {
					t.Errorf("a ready mesh has findings:\n%s", describe(got))
				}
			})
		}
	}
}

// TestConditionsOnMeshes expects a case for each condition that involves several resources.
func TestConditionsOnMeshes(t *testing.T) {
	t.Parallel()
	for _, c := range kuma3.Conditions() {
		if several := len(c.Paths) == 0; several != (len(worldCases[c.ID]) > 0) {
			t.Errorf("%s involves several resources: %t, but has %d cases", c.ID, several, len(worldCases[c.ID]))
		}
	}
}

// TestKuma3Order checks that the most dangerous effects come first, and that no finding is
// an error.
func TestKuma3Order(t *testing.T) {
	t.Parallel()
	resources := resourcesOf(t, `
type: Mesh
name: default
mtls:
  enabledBackend: ca
  backends: [{name: ca, type: builtin}]
---
type: Mesh
name: other
mtls: {enabledBackend: ca}
---
type: Timeout
name: old
---
type: MeshTimeout
name: b
spec:
  targetRef: {kind: Dataplane, name: web-1}
  to:
    - targetRef: {kind: MeshService, name: web}
      default: {}
---
type: MeshTimeout
name: a
spec:
  targetRef: {kind: Dataplane, name: web-1}
  from: []
---
type: MeshTimeout
name: elsewhere
mesh: other
spec:
  from: [{}]
---
type: Zone
name: zone.east
---
type: Dataplane
name: web-1
labels: {kuma.io/workload: web}
networking: {address: 10.0.0.1}
`)[1:] // the documents contain a mesh
	want := `warning K3-068: Zone zone.east name
warning K3-073: Mesh default meshServices.mode
warning K3-071: Mesh default mtls.enabledBackend
warning K3-006: MeshTimeout a spec.targetRef.name
warning K3-006: MeshTimeout b spec.targetRef.name
warning K3-020: MeshTimeout b spec.to[0].targetRef.name
warning K3-102: Timeout old ` + `
info K3-223: Dataplane web-1 networking
`
	for range 2 {
		var got strings.Builder
		for _, f := range lint.Kuma3(rules.NewSnapshot(resources), kuma.DefaultMesh) {
			fmt.Fprintf(&got, "%s %s: %s %s %s\n", f.Severity, f.Code, f.Resource.Type, f.Resource.Name, f.Path)
		}
		testworld.Equal(t, "findings", want, got.String())
		slices.Reverse(resources)
	}
}

// TestMeshReadyForKuma3 checks that a mesh that is ready for 3.0 has no
// findings.
func TestMeshReadyForKuma3(t *testing.T) {
	t.Parallel()
	ready := `
type: Mesh
name: default
meshServices: {mode: Exclusive}
---
type: MeshIdentity
name: all
spec:
  selector:
    dataplane: {matchLabels: {}}
  provider:
    type: Bundled
    bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}
---
type: Dataplane
name: web-1
labels: {app: web, kuma.io/workload: web}
networking:
  address: 10.0.0.1
  inbound:
    - {name: http, port: 80, protocol: http}
---
type: MeshService
name: web
labels: {kuma.io/display-name: web}
spec:
  selector:
    dataplaneLabels: {matchLabels: {app: web}}
  ports:
    - {name: http, port: 80, appProtocol: http}
---
type: MeshHTTPRoute
name: web
labels: {kuma.io/display-name: web}
spec:
  targetRef:
    kind: Dataplane
    labels: {app: web}
  to:
    - targetRef:
        kind: MeshService
        labels: {kuma.io/display-name: web}
      rules:
        - matches: [{}]
          default:
            backendRefs:
              - kind: MeshService
                labels: {kuma.io/display-name: web}
                port: 80
---
type: MeshTimeout
name: web
spec:
  to:
    - targetRef:
        kind: MeshHTTPRoute
        labels: {kuma.io/display-name: web}
      default: {http: {requestTimeout: 1s}}
---
type: MeshTrafficPermission
name: all
spec:
  rules:
    - default:
        allow:
          - spiffeID: {type: Prefix, value: "spiffe://default"}
`
	if got := lint.Kuma3(snapshotOf(t, ready), kuma.DefaultMesh); len(got) > 0 {
		t.Errorf("findings:\n%s", describe(got))
	}
	if got := lint.Kuma3(rules.NewSnapshot(nil), kuma.DefaultMesh); len(got) > 0 {
		t.Errorf("findings without resources:\n%s", describe(got))
	}
}

// TestKuma3OfRecordedWorlds analyzes resources from real control planes: it must not
// panic, every finding must have a known condition, and none must appear twice.
func TestKuma3OfRecordedWorlds(t *testing.T) {
	t.Parallel()
	conditions, count := map[string]bool{}, map[string]int{}
	for _, c := range kuma3.Conditions() {
		conditions[c.ID] = true
	}
	worlds := 0
	for _, world := range testworld.GoldenSample(t) {
		worlds++
		s := rules.NewSnapshot(world.Resources)
		for _, meshName := range meshesOf(world.Resources) {
			seen := map[string]bool{}
			for _, f := range lint.Kuma3(s, meshName) {
				if count[f.Code]++; !conditions[f.Code] {
					t.Errorf("%s: there is no condition %s", world.Name, f.Code)
				}
				if text := fmt.Sprintf("%+v", f); seen[text] {
					t.Errorf("%s: duplicate finding %s", world.Name, text)
				} else {
					seen[text] = true
				}
			}
		}
	}
	if len(count) == 0 {
		t.Error("there are no findings in any world")
	}
	for _, id := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%s: %d in %d worlds", id, count[id], worlds)
	}
}

func meshesOf(resources []kuma.Resource) []string {
	names := map[string]bool{}
	for _, r := range resources {
		if r.Type == kuma.KindMesh {
			names[r.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

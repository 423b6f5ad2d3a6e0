package rules_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestSelectionInKuma3 covers release3.md §4: what is selected by labels, and what is not
// selected otherwise any more.
func TestSelectionInKuma3(t *testing.T) {
	t.Parallel()
	world := []string{
		aMesh,
		`{type: Dataplane, name: web-1, labels: {team: a}, networking: {address: 10.0.0.1, inbound: [{port: 80, name: http}, {port: 81}]}}`,
		`{type: Dataplane, name: consumer, networking: {address: 10.0.0.2}}`,
		`{type: MeshService, name: east, labels: {app: web, kuma.io/display-name: east}, spec: {ports: [{port: 80, name: http}, {port: 81}]}}`,
		`{type: MeshService, name: west, labels: {app: web}, spec: {ports: [{port: 80}]}}`,
	}
	const toMesh = `to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]`
	to := func(ref string) string {
		return `to: [{targetRef: {kind: MeshService, ` + ref + `}, default: {idleTimeout: 1s}}]`
	}
	for name, test := range map[string]struct {
		dataplane, spec string
		want            []string // targets of resource rules, or ports of inbound rules
	}{
		"every match of a reference":           {"web-1", to(`labels: {app: web}`), []string{"MeshService east", "MeshService west"}},
		"display name of a stored label":       {"web-1", to(`labels: {kuma.io/display-name: east}`), []string{"MeshService east"}},
		"display name without a label":         {"web-1", to(`labels: {kuma.io/display-name: west}`), nil},
		"section by the name of a port":        {"web-1", to(`labels: {app: web}, sectionName: http`), []string{"MeshService east http"}},
		"section by number of a nameless port": {"web-1", to(`labels: {app: web}, sectionName: "80"`), []string{"MeshService west 80"}},
		"dataplane by its name as a label":     {"web-1", `targetRef: {kind: Dataplane, labels: {kuma.io/display-name: web-1}}, ` + toMesh, []string{"Mesh default"}},
		"dataplane by labels":                  {"web-1", `targetRef: {kind: Dataplane, labels: {team: a}}, ` + toMesh, []string{"Mesh default"}},
		"dataplane by other labels":            {"web-1", `targetRef: {kind: Dataplane, labels: {team: b}}, ` + toMesh, nil},
		"dataplane by a label that it lacks":   {"web-1", `targetRef: {kind: Dataplane, labels: {tier: ""}}, ` + toMesh, []string{"Mesh default"}},
		"dataplane without ports":              {"consumer", toMesh, nil},
		"kind that is gone":                    {"web-1", `targetRef: {kind: MeshSubset, tags: {team: a}}, ` + toMesh, nil},
		"name that is not read":                {"web-1", `targetRef: {kind: Dataplane, name: other}, ` + toMesh, []string{"Mesh default"}},
		"destination by name":                  {"web-1", to(`name: east`), nil},
		"from that is not read":                {"web-1", `from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]`, nil},
		"rules of all inbounds":                {"web-1", `rules: [{default: {idleTimeout: 1s}}]`, []string{"80", "81"}},
		"rules of a section":                   {"web-1", `targetRef: {kind: Dataplane, sectionName: http}, rules: [{default: {idleTimeout: 1s}}]`, []string{"80"}},
		"rules of a number with a name":        {"web-1", `targetRef: {kind: Dataplane, sectionName: "80"}, rules: [{default: {idleTimeout: 1s}}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := `{type: MeshTimeout, name: t, spec: {` + test.spec + `}}`
			s := rules.NewSnapshotFor(kuma.ParseRelease("3.0.1"), testworld.Resources(t, append(slices.Clip(world), policy)...))
			answer, err := s.Dataplane("default", test.dataplane)
			testworld.NoError(t, err)
			r := rulesOf(answer, "MeshTimeout")
			var got []string
			for _, rule := range r.ToResourceRules {
				got = append(got, strings.TrimSpace(rule.ResourceMeta.Type+" "+rule.ResourceMeta.Name+" "+rule.ResourceSectionName))
			}
			for _, port := range inboundPorts(r) {
				got = append(got, strconv.Itoa(port))
			}
			testworld.Equal(t, "rules", test.want, got)
			text, err := json.Marshal(answer)
			testworld.NoError(t, err)
			if strings.Contains(string(text), "toRules") || strings.Contains(string(text), "fromRules") {
				t.Errorf("rules by tags in %s", text)
			}
		})
	}
}

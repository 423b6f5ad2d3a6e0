package input

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestPlannedIsAsIfStored checks with recorded meshes that removing a resource and
// planning it again gives every dataplane the same rules as the stored resource.
func TestPlannedIsAsIfStored(t *testing.T) {
	t.Parallel()
	for _, file := range testworld.Files(t, "../../rules/testdata/golden/*/resources.yaml") {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			stored := testworld.Resources(t, testworld.Text(t, file))
			want := map[string]map[string]string{} // by mesh
			for i, r := range stored {
				meshName := r.Mesh
				if r.Type == kuma.KindMesh {
					meshName = r.Name
				}
				cp := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}
				others := slices.Delete(slices.Clone(stored), i, i+1)
				planned := Stored(meshName, cp, nil, others, []kuma.Resource{asWritten(r)})
				if want[meshName] == nil {
					want[meshName] = answers(t, Stored(meshName, cp, nil, stored, nil).Resources, meshName)
				}
				if diff := cmp.Diff(want[meshName], answers(t, planned.Resources, meshName)); diff != "" {
					t.Errorf("answers with %s planned (-stored +planned):\n%s", r.Key(), diff)
				}
				if diff := cmp.Diff([]kuma.Key{r.Key()}, planned.Planned); r.Type != kuma.KindMesh && diff != "" {
					t.Errorf("planned resources (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// asWritten is a resource without the labels that every control plane in a zone
// adds.
func asWritten(r kuma.Resource) kuma.Resource {
	r = r.Clone()
	if r.Labels[kuma.LabelOrigin] == kuma.OriginZone && r.Labels[kuma.LabelZone] == "zone-1" && r.Labels[kuma.LabelK8sNamespace] == "" {
		maps.DeleteFunc(r.Labels, func(label, value string) bool {
			return label != kuma.LabelEffect && label != kuma.LabelPolicyRole && kuma.ComputedLabel(label) && (label != kuma.LabelDisplayName || value == r.Name)
		})
	}
	return r
}

func answers(t *testing.T, resources []kuma.Resource, meshName string) map[string]string {
	t.Helper()
	s := rules.NewSnapshot(resources)
	out := map[string]string{}
	for _, name := range s.Dataplanes(meshName) {
		answer, err := s.Dataplane(meshName, name)
		testworld.NoError(t, err)
		data, err := json.MarshalIndent(answer, "", " ")
		testworld.NoError(t, err)
		out[name] = string(data)
	}
	return out
}

// TestPlannedIdentity checks that the status of a MeshIdentity is not taken for one of a provider that the plan changes.
func TestPlannedIdentity(t *testing.T) {
	t.Parallel()
	identity := func(provider string) string {
		return fmt.Sprintf("{type: MeshIdentity, mesh: m, name: i, spec: {selector: {dataplane: {}}, provider: %s}}", provider)
	}
	const own = "{type: Bundled, bundled: {ca: {certificate: {type: File, file: {path: /%s.crt}}, privateKey: {type: File, file: {path: /ca.key}}}}}"
	stored := testworld.Resources(t, "{type: Mesh, name: m}\n---\n"+identity(fmt.Sprintf(own, "ca")))
	stored[1].Reported = map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": "Provider", "status": "False", "reason": "ProviderValidationError", "message": "no file",
	}}}}
	for file, want := range map[string]string{"ca": "it is not ready: no file", "new": ""} {
		planned := testworld.Resources(t, identity(fmt.Sprintf(own, file)))
		for _, r := range Stored("m", kuma.ControlPlane{}, nil, stored, planned).Resources {
			if r.Type != "MeshIdentity" {
				continue
			}
			if got := kinds.IdentityProblem(r, kuma.Newest2()); got != want {
				t.Errorf("with the file %s: %q, want %q", file, got, want)
			}
		}
	}
}

// TestPlannedKeepsWhatTheControlPlaneWrites checks that a planned resource keeps the state of its inbounds and its status: a write
// does not change them.
func TestPlannedKeepsWhatTheControlPlaneWrites(t *testing.T) {
	t.Parallel()
	const services = "{type: MeshService, name: api, mesh: m, spec: {state: Available, identities: [{type: ServiceTag, value: api}], selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, targetPort: 80, appProtocol: tcp}]}, status: {tls: {status: Ready}}}\n---\n" +
		"{type: Dataplane, name: api-1, mesh: m, networking: {address: 10.0.0.1, inbound: [{port: 80, state: NotReady, tags: {kuma.io/service: api, kuma.io/zone: zone-1}}]}}"
	stored := testworld.Resources(t, "{type: Mesh, name: m}\n---\n"+services)
	planned := testworld.Resources(t, `
{type: MeshService, name: api, mesh: m, labels: {a: b}, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: Dataplane, name: api-1, mesh: m, labels: {a: b}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}`)
	got := map[string]kuma.Resource{}
	for _, r := range Stored("m", kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}, nil, stored, planned).Resources {
		got[r.Name] = r
	}
	for _, want := range testworld.Resources(t, services) {
		if diff := cmp.Diff(want.Body, got[want.Name].Body); diff != "" {
			t.Errorf("%s (-stored +planned):\n%s", want.Key(), diff)
		}
		if diff := cmp.Diff(want.Reported, got[want.Name].Reported); diff != "" {
			t.Errorf("status of %s (-stored +planned):\n%s", want.Key(), diff)
		}
	}
}

package kinds_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestLabelsRejectedByControlPlanes compares the labels that the description
// rejects with those that real control planes rejected.
func TestLabelsRejectedByControlPlanes(t *testing.T) {
	t.Parallel()
	controlPlanes := map[string]kuma.ControlPlane{
		"zone":           zone,
		"global":         {Mode: kuma.ModeGlobal},
		"federated zone": {Mode: kuma.ModeZone, Zone: "east", Federated: true},
	}
	for _, row := range testworld.JSONObjects(t, testworld.Text(t, "testdata/labels.json")) {
		on := row["on"].(string)
		k, ok := kinds.Find(row["kind"].(string))
		if !ok {
			t.Fatalf("there is no kind %s", row["kind"])
		}
		doc := map[string]any{"type": k.Name, "name": "probe", "labels": row["labels"]}
		if k.Scope == def.InMesh {
			doc["mesh"] = "d3"
		}
		var want, got []string
		recode(t, row["refused"], &want)
		for _, p := range append(k.Validate(doc), k.ValidateLabels(doc, controlPlanes[on])...) {
			if len(p.Path) == 2 && p.Path[0] == "labels" && !p.Warning {
				got = append(got, p.Path[1].(string))
			}
		}
		slices.Sort(got)
		got = slices.Compact(got)
		_, hasOrigin := row["labels"].(map[string]any)[kuma.LabelOrigin]
		if on == "federated zone" && !hasOrigin && !k.Flat {
			want = slices.DeleteFunc(want, func(label string) bool { return label == kuma.LabelOrigin }) // the client adds it
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s on %s with labels %v: rejected (-control plane +description):\n%s", k.Name, on, row["labels"], diff)
		}
	}
}

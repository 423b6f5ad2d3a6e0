package kinds_test

import (
	"slices"
	"strings"
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

// TestUnknownReservedLabels checks which labels Kuma 3.0 rejects because it does not know
// them, and which one the message suggests (release3.md §3).
func TestUnknownReservedLabels(t *testing.T) {
	t.Parallel()
	cp := zone
	cp.Release = kuma.ParseRelease("3.0.1")
	for label, want := range map[string]string{
		"kuma.io/workloads": "kuma.io/workload", "kuma.io/Workload": "kuma.io/workload", "kuma.io/zones": "kuma.io/zone", "kuma.io/kds-snyc": "kuma.io/kds-sync",
		"kuma.io/efect": "kuma.io/effect", "kuma.io/displayname": "kuma.io/display-name",
		"kuma.io/service": "none", "kuma.io/protocol": "none", "kuma.io/proxy-type": "none", "k8s.kuma.io/team": "none",
		"kuma.io/workload": "", "team": "",
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			problems := kinds.Dataplane.ValidateLabels(map[string]any{"type": "Dataplane", "mesh": "default", "name": "a", "labels": map[string]any{label: "enabled"}}, cp)
			switch {
			case want == "" && len(problems) == 0:
			case len(problems) != 1 || problems[0].Path[1] != label:
				t.Errorf("problems %+v, want one of the label", problems)
			case strings.HasSuffix(problems[0].Detail, `Did you mean "`+want+`"?`) != (want != "none") || strings.Contains(problems[0].Detail, "Did you mean") != (want != "none"):
				t.Errorf("detail %q, want suggestion %s", problems[0].Detail, want)
			}
		})
	}
}

// TestOriginOfTheOtherControlPlane writes the origin global to zones: 2.14.3 stores it, the preview
// of 3.0 overwrites it, and 3.0.1 is stated to reject it. A federated zone rejects it in any release.
func TestOriginOfTheOtherControlPlane(t *testing.T) {
	t.Parallel()
	federated := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east", Federated: true}
	for _, test := range []struct {
		kind, release string
		cp            kuma.ControlPlane
		want          string
	}{
		{"MeshTimeout", "2.14.3", zone, ""},
		{"MeshTimeout", "3.0.1", zone, `The label is set to "global", but the control plane sets it to "zone". Remove it.`},
		{"Dataplane", "3.0.1", zone, `The label is set to "global", but the control plane sets it to "zone". Remove it.`},
		{"Mesh", "3.0.1", zone, `The label is set to "global", but the control plane sets it to "zone". Remove it.`},
		{"MeshTimeout", "3.0.1", kuma.ControlPlane{Mode: kuma.ModeGlobal}, ""},
		{"MeshTimeout", "2.14.3", federated, `The origin is "global", but a zone control plane that is connected to a global one accepts only "zone".`},
		{"MeshTimeout", "3.0.1", federated, `The origin is "global", but a zone control plane that is connected to a global one accepts only "zone".`},
		{"Dataplane", "2.14.3", federated, ""},
		{"Dataplane", "3.0.1", federated, `The label is set to "global", but the control plane sets it to "zone". Remove it.`},
	} {
		k, _ := kinds.Find(test.kind)
		test.cp.Release = kuma.ParseRelease(test.release)
		doc := map[string]any{"type": k.Name, "name": "a", "labels": map[string]any{kuma.LabelOrigin: kuma.OriginGlobal}}
		if k.Scope == def.InMesh {
			doc["mesh"] = "default"
		}
		var got []string
		for _, p := range k.ValidateLabels(doc, test.cp) {
			got = append(got, p.Detail)
		}
		if test.want == "" && got != nil || test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.want)) {
			t.Errorf("%s on %+v: %q, want %q", test.kind, test.cp, got, test.want)
		}
	}
}

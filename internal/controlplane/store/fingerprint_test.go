package store

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestFingerprint checks that the fingerprint changes with what users write and with
// nothing else, and that the one of a secret does not depend on its value.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	service := func(change func(r *kuma.Resource)) kuma.Resource {
		r := kuma.Resource{
			Type: "MeshService", Mesh: "default", Name: "web", ModificationTime: at, Labels: map[string]string{kuma.LabelZone: "east"},
			Body: map[string]any{"spec": map[string]any{"state": "Unavailable", "selector": map[string]any{}}},
		}
		change(&r)
		return r
	}
	secret := func(data string, modified time.Time) kuma.Resource {
		return kuma.Resource{Type: "Secret", Mesh: "default", Name: "key", ModificationTime: modified, Body: map[string]any{"data": data}}
	}
	plain := service(func(*kuma.Resource) {})
	tests := map[string]struct {
		kind          def.Kind
		before, after kuma.Resource
		same          bool
	}{
		"nothing":              {kinds.MeshService, plain, plain, true},
		"time":                 {kinds.MeshService, plain, service(func(r *kuma.Resource) { r.ModificationTime = at.Add(time.Second) }), true},
		"what the server owns": {kinds.MeshService, plain, service(func(r *kuma.Resource) { r.Spec()["state"] = "Available" }), true},
		"computed label":       {kinds.MeshService, plain, service(func(r *kuma.Resource) { r.Labels[kuma.LabelEnv] = "universal" }), true},
		"label":                {kinds.MeshService, plain, service(func(r *kuma.Resource) { r.Labels["team"] = "web" }), false},
		"field":                {kinds.MeshService, plain, service(func(r *kuma.Resource) { r.Spec()["ports"] = []any{map[string]any{"port": json.Number("80")}} }), false},
		"spelling":             {kinds.MeshService, plain, service(func(r *kuma.Resource) { r.Spec()["ports"] = []any{} }), true},
		"unknown field":        {kinds.MeshService, plain, service(func(r *kuma.Resource) { r.Spec()["brandNew"] = "x" }), false},
		"secret, same time":    {kinds.Secret, secret("YQ==", at), secret("Yg==", at), true},
		"secret, other time":   {kinds.Secret, secret("YQ==", at), secret("YQ==", at.Add(time.Nanosecond)), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := (&Store{}).Resources(test.kind)
			testworld.Equal(t, "the fingerprints are the same", test.same, r.Fingerprint(test.before) == r.Fingerprint(test.after))
		})
	}
}

// TestFingerprintAfterUpgrade checks that no client has changed a Dataplane of which Kuma 3.0 drops fields, and to which
// it adds a label: a destroy of the older state then stopped.
func TestFingerprintAfterUpgrade(t *testing.T) {
	t.Parallel()
	dataplane := func(labels map[string]string, inbound map[string]any) kuma.Resource {
		return kuma.Resource{Type: kuma.KindDataplane, Mesh: "default", Name: "web", Labels: labels, Body: map[string]any{
			"networking": map[string]any{"address": "10.0.0.1", "inbound": []any{inbound}},
		}}
	}
	port := json.Number("80")
	tagged := map[string]any{"port": port, "tags": map[string]any{kuma.TagService: "web"}}
	labelled := map[string]string{kuma.LabelDisplayName: "web"}
	on := func(release string) Resources {
		return (&Store{Capabilities: Capabilities{ControlPlane: kuma.ControlPlane{Release: kuma.ParseRelease(release)}}}).Resources(kinds.Dataplane)
	}
	seen := on("2.14.3").Fingerprint(dataplane(nil, tagged))
	testworld.NoError(t, on("3.0.1").CheckUnchanged(dataplane(labelled, map[string]any{"port": port}), seen))
	for release, changed := range map[string]kuma.Resource{
		"3.0.1": dataplane(labelled, map[string]any{"port": json.Number("81")}), "2.14.3": dataplane(nil, map[string]any{"port": port}),
	} {
		if on(release).CheckUnchanged(changed, seen) == nil {
			t.Errorf("a change on %s is not detected", release)
		}
	}
}

// TestManageableInZone checks that the zone of a global control plane, which lists all kinds as read-only,
// has resources: those that clients write, and not what it reports about them.
func TestManageableInZone(t *testing.T) {
	t.Parallel()
	listed := map[string]controlplane.ListedKind{}
	for _, name := range []string{kuma.KindDataplane, kinds.MeshTimeout.Name, kuma.KindMesh, "TrafficRoute", "DataplaneInsight"} {
		listed[name] = controlplane.ListedKind{Kind: def.Kind{Name: name}, ReadOnly: true}
	}
	for federated, want := range map[bool][]string{false: nil, true: {kuma.KindDataplane, kuma.KindMesh, kinds.MeshTimeout.Name, "TrafficRoute"}} {
		c := Capabilities{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Federated: federated}, kinds: listed}
		got := phrase.Each(c.Manageable(), func(k def.Kind) string { return k.Name })
		if !slices.Equal(got, want) {
			t.Errorf("federated %t: manageable kinds %v, want %v", federated, got, want)
		}
	}
}

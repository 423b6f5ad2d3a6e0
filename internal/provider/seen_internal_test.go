package provider

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// TestFingerprint: it changes with what users write, and with nothing else; that
// of a secret says nothing about its value.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	service := func(change func(r *mesh.Resource)) mesh.Resource {
		r := mesh.Resource{
			Type: "MeshService", Mesh: "default", Name: "web", ModificationTime: at, Labels: map[string]string{mesh.LabelZone: "east"},
			Body: map[string]any{"spec": map[string]any{"state": "Unavailable", "selector": map[string]any{}}},
		}
		change(&r)
		return r
	}
	secret := func(data string, modified time.Time) mesh.Resource {
		return mesh.Resource{Type: "Secret", Mesh: "default", Name: "key", ModificationTime: modified, Body: map[string]any{"data": data}}
	}
	plain := service(func(*mesh.Resource) {})
	tests := map[string]struct {
		kind          spec.Kind
		before, after mesh.Resource
		same          bool
	}{
		"nothing":              {kinds.MeshService, plain, plain, true},
		"time":                 {kinds.MeshService, plain, service(func(r *mesh.Resource) { r.ModificationTime = at.Add(time.Second) }), true},
		"what the server owns": {kinds.MeshService, plain, service(func(r *mesh.Resource) { r.Spec()["state"] = "Available" }), true},
		"computed label":       {kinds.MeshService, plain, service(func(r *mesh.Resource) { r.Labels[mesh.LabelEnv] = "universal" }), true},
		"label":                {kinds.MeshService, plain, service(func(r *mesh.Resource) { r.Labels["team"] = "web" }), false},
		"field":                {kinds.MeshService, plain, service(func(r *mesh.Resource) { r.Spec()["ports"] = []any{map[string]any{"port": json.Number("80")}} }), false},
		"spelling":             {kinds.MeshService, plain, service(func(r *mesh.Resource) { r.Spec()["ports"] = []any{} }), true},
		"unknown field":        {kinds.MeshService, plain, service(func(r *mesh.Resource) { r.Spec()["brandNew"] = "x" }), false},
		"secret, same time":    {kinds.Secret, secret("YQ==", at), secret("Yg==", at), true},
		"secret, other time":   {kinds.Secret, secret("YQ==", at), secret("YQ==", at.Add(time.Nanosecond)), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := remote{kind: test.kind, cp: &connection{}}
			if got := r.fingerprint(test.before) == r.fingerprint(test.after); got != test.same {
				t.Errorf("the fingerprints are the same: %t, want %t", got, test.same)
			}
		})
	}
}

package rules_test

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	want := []string{"Dataplane", "Mesh", "MeshExternalService", "MeshGateway", "MeshIdentity", "MeshMultiZoneService", "MeshService"}
	for _, k := range kinds.Policies() {
		want = append(want, k.Name)
	}
	slices.Sort(want)
	for _, k := range kinds.Older() {
		want = append(want, k.Name)
	}
	var got []string
	for _, k := range rules.Kinds() {
		got = append(got, k.Name)
	}
	testworld.Equal(t, "Kinds", want, got)
}

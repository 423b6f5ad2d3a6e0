package upgrade_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// zone is the control plane of most tests.
var zone = upgrade.Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east"}, InitialPolicies: true}

// rewrite rewrites the documents of a file, and fails if that changes something on 2.14.
func rewrite(t *testing.T, o upgrade.Options, texts ...string) upgrade.Result {
	t.Helper()
	result, err := upgrade.Rewrite(testworld.Resources(t, texts...), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Proof.StageOne) > 0 {
		t.Errorf("stage one changes proxies on 2.14:\n%s", result.Proof)
	}
	return result
}

// TestShop checks both stages, the report and the proof of a small mesh.
func TestShop(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, testworld.Text(t, "testdata/shop.yaml"))
	testworld.Want(t, "testdata/shop-stage-one.yaml", yaml(t, result.StageOne))
	testworld.Want(t, "testdata/shop-stage-two.yaml", yaml(t, result.StageTwo))
	testworld.Want(t, "testdata/shop-report.txt", text(result))
}

// yaml encodes documents.
func yaml(t *testing.T, resources []kuma.Resource) string {
	t.Helper()
	var all []string
	for _, r := range resources {
		data, err := tree.EncodeYAML(r.Document())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(data))
	}
	return strings.Join(all, "---\n")
}

func text(r upgrade.Result) string { return r.Report.String() + "\n" + r.Proof.String() }

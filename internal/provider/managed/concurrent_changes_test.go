package managed_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// sharedTimeout is the resource that two configurations manage.
func sharedTimeout(seconds int) string {
	return fmt.Sprintf(`
resource "kuma_mesh_timeout" "web" {
  mesh = "shop"
  name = "web"
  spec {
    to {
      target_ref {
        kind = "Mesh"
      }
      default {
        http {
          request_timeout = "%ds"
        }
      }
    }
  }
}
`, seconds)
}

// TestTwoStates checks that the second of two applies that change the same resource
// fails, because it would undo a change that its plan did not contain.
func TestTwoStates(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	provider := providertest.RequiredProvider + cp.Config
	storedTimeout := func() string {
		r, err := cp.Client.Get(context.Background(), kinds.MeshTimeout, "shop", "web")
		testworld.NoError(t, err)
		return fmt.Sprint(r.Spec()["to"])
	}
	first := providertest.NewCLI(t, map[string]string{"mesh.tf": provider + providertest.SharedMesh, "main.tf": strings.Replace(sharedTimeout(1), `"shop"`, "kuma_mesh.shop.name", 1)})
	first.Must(t, "apply", "-auto-approve")
	second := providertest.NewCLI(t, map[string]string{"mesh.tf": provider, "main.tf": sharedTimeout(1)})
	second.Must(t, "import", "kuma_mesh_timeout.web", "shop/web")

	providertest.Write(t, filepath.Join(first.Dir, "main.tf"), strings.Replace(sharedTimeout(2), `"shop"`, "kuma_mesh.shop.name", 1))
	providertest.Write(t, filepath.Join(second.Dir, "main.tf"), sharedTimeout(3))
	first.Must(t, "plan", "-out=plan")
	second.Must(t, "plan", "-out=plan")
	second.Must(t, "plan", "-destroy", "-out=destroy")
	first.Must(t, "apply", "plan")
	for _, plan := range []string{"plan", "destroy"} {
		out, code := second.Run(t, "apply", plan)
		if code == 0 || !strings.Contains(out, "Resource changed since the plan was created") || !strings.Contains(strings.Join(strings.Fields(out), " "), "Run terraform plan again") {
			t.Errorf("apply of %s: exit code %d\n%s", plan, code, out)
		}
	}
	if got := storedTimeout(); !strings.Contains(got, "2s") {
		t.Errorf("stored %s, want what the first apply wrote", got)
	}

	// A new plan contains the change and may undo it.
	if out := second.Must(t, "apply", "-auto-approve"); !strings.Contains(out, `"2s" -> "3s"`) {
		t.Errorf("the second plan does not show the change:\n%s", out)
	}
	// The option disables the protection.
	overwrite := strings.Replace(provider, "provider \"kuma\" {\n", "provider \"kuma\" {\n  concurrent_changes = \"overwrite\"\n", 1)
	providertest.Write(t, filepath.Join(first.Dir, "mesh.tf"), overwrite+providertest.SharedMesh)
	providertest.Write(t, filepath.Join(second.Dir, "main.tf"), sharedTimeout(4))
	first.Must(t, "plan", "-out=plan")
	second.Must(t, "apply", "-auto-approve")
	first.Must(t, "apply", "plan")
	if got := storedTimeout(); !strings.Contains(got, "2s") {
		t.Errorf("stored %s, want what overwrites", got)
	}
	providertest.Write(t, filepath.Join(first.Dir, "mesh.tf"), strings.Replace(overwrite, `"overwrite"`, `"overwrit"`, 1)+providertest.SharedMesh)
	if out, code := first.Run(t, "plan"); code == 0 || !strings.Contains(out, "must be refuse or overwrite") {
		t.Errorf("a misspelled option is accepted:\n%s", out)
	}
}

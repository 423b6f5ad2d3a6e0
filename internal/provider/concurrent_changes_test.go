package provider_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

const sharedMesh = `
resource "kuma_mesh" "shop" {
  name = "shop"
}
`

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
	needCLI(t)
	cp := newTestControlPlane(t)
	provider := requiredProvider + cp.config
	storedTimeout := func() string {
		r, err := cp.client.Get(context.Background(), kinds.MeshTimeout, "shop", "web")
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Spec()["to"])
	}
	first := newCLI(t, map[string]string{"mesh.tf": provider + sharedMesh, "main.tf": strings.Replace(sharedTimeout(1), `"shop"`, "kuma_mesh.shop.name", 1)})
	first.must(t, "apply", "-auto-approve")
	second := newCLI(t, map[string]string{"mesh.tf": provider, "main.tf": sharedTimeout(1)})
	second.must(t, "import", "kuma_mesh_timeout.web", "shop/web")

	write(t, filepath.Join(first.dir, "main.tf"), strings.Replace(sharedTimeout(2), `"shop"`, "kuma_mesh.shop.name", 1))
	write(t, filepath.Join(second.dir, "main.tf"), sharedTimeout(3))
	first.must(t, "plan", "-out=plan")
	second.must(t, "plan", "-out=plan")
	second.must(t, "plan", "-destroy", "-out=destroy")
	first.must(t, "apply", "plan")
	for _, plan := range []string{"plan", "destroy"} {
		out, code := second.run(t, "apply", plan)
		if code == 0 || !strings.Contains(out, "Resource changed since the plan was created") || !strings.Contains(strings.Join(strings.Fields(out), " "), "Run terraform plan again") {
			t.Errorf("apply of %s: exit code %d\n%s", plan, code, out)
		}
	}
	if got := storedTimeout(); !strings.Contains(got, "2s") {
		t.Errorf("stored %s, want what the first apply wrote", got)
	}

	// A new plan contains the change and may undo it.
	if out := second.must(t, "apply", "-auto-approve"); !strings.Contains(out, `"2s" -> "3s"`) {
		t.Errorf("the second plan does not show the change:\n%s", out)
	}
	// The option disables the protection.
	overwrite := strings.Replace(provider, "provider \"kuma\" {\n", "provider \"kuma\" {\n  concurrent_changes = \"overwrite\"\n", 1)
	write(t, filepath.Join(first.dir, "mesh.tf"), overwrite+sharedMesh)
	write(t, filepath.Join(second.dir, "main.tf"), sharedTimeout(4))
	first.must(t, "plan", "-out=plan")
	second.must(t, "apply", "-auto-approve")
	first.must(t, "apply", "plan")
	if got := storedTimeout(); !strings.Contains(got, "2s") {
		t.Errorf("stored %s, want what overwrites", got)
	}
	write(t, filepath.Join(first.dir, "mesh.tf"), strings.Replace(overwrite, `"overwrite"`, `"overwrit"`, 1)+sharedMesh)
	if out, code := first.run(t, "plan"); code == 0 || !strings.Contains(out, "must be refuse or overwrite") {
		t.Errorf("a misspelled option is accepted:\n%s", out)
	}
}

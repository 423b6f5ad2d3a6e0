package managed_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// forget is a block that removes a resource from the state without destroying it.
func (f form) forget(label string) string {
	return fmt.Sprintf("removed {\n  from = %s.%s\n  lifecycle {\n    destroy = false\n  }\n}\n", f.typeName, label)
}

// TestForgottenAndCreatedAgain checks that a plan says so if a `removed` block forgets a
// resource that another block creates, and that the apply adopts it where it may. Terraform
// does not tell a provider that it forgets a resource.
func TestForgottenAndCreatedAgain(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("x", "a", "", "")})
		c.ExpectAdoption()
		c.Must(t, "apply", "-auto-approve")
		use := func(existing string, blocks ...string) {
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), withExisting(config, existing)+strings.Join(blocks, "")+f.forget("x"))
		}
		use("refuse", f.block("y", "a", "", ""))
		c.Refused(t, fmt.Sprintf(`already exists .* a removed block forgets it .* moved \{ from = %[1]s\.OLD_NAME to = %[1]s\.NEW_NAME \} .* import \{ to = ADDRESS id = %[2]q \}`, f.typeName, f.importID("a")), "plan")
		other := forms[map[string]string{"kuma_mesh_timeout": "manifest", "kuma_manifest": "typed"}[f.typeName]]
		use("refuse", other.block("y", "a", "", ""))
		c.Refused(t, fmt.Sprintf(`already exists .* as a %s, which a removed block forgets .* keep the removed block, and import the resource: .* import \{ to = ADDRESS`, f.typeName), "plan")
		use("adopt_equal", strings.NewReplacer(`"5s"`, `"7s"`).Replace(f.block("y", "a", "", "")))
		c.Refused(t, `already exists .* "5s" -> "7s" .* a removed block forgets it`, "plan")

		use("adopt_equal", f.block("y", "a", "", ""))
		if out := c.Must(t, "plan", "-out=plan"); !strings.Contains(out, `MeshTimeout "a" of mesh "shop" will be adopted`) {
			t.Errorf("the plan does not say that the resource is adopted:\n%s", out)
		}
		c.Must(t, "apply", "plan")
		wantStored(t, client, "a")
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), withExisting(config, "refuse")+f.block("y", "a", "", ""))
		c.PlanIsEmpty(t)
	})
}

// TestForgottenOrTainted checks that a tainted resource is not mistaken for a forgotten one
// without a refresh, where Terraform sends the same requests for both, and that the apply
// then says what may be wrong.
func TestForgottenOrTainted(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, f form, client *controlplane.Client, config string) {
		c := providertest.NewCLI(t, map[string]string{"main.tf": config + f.block("x", "a", "", "")})
		c.ExpectTimeout()
		c.Must(t, "apply", "-auto-approve")
		c.Must(t, "taint", f.typeName+".x")
		c.Must(t, "apply", "-auto-approve", "-refresh=false")
		c.PlanIsEmpty(t)

		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+f.block("y", "a", "", "")+f.forget("x"))
		c.Refused(t, "If a removed block forgets it, import it at its new address", "apply", "-auto-approve", "-refresh=false")
		wantStored(t, client, "a")
	})
}

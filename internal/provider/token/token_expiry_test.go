package token_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestExpiryOfStoredToken shows that the example knows when a token of an earlier run expires:
// it is the stored token whose expiry it shows.
func TestExpiryOfStoredToken(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t, providertest.Since("2.14")) // for the Dataplane of the example
	const version = "token_version = 1"
	example := testworld.Text(t, filepath.Join(providertest.Examples, "ephemeral-resources", "kuma_dataplane_token", "ephemeral-resource-a-token-that-expires.tf"))
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.CheckoutProxy})
	c.NeedVersion(t, providertest.HasWriteOnly)
	c.Must(t, "apply", "-auto-approve")
	file := filepath.Join(c.Dir, "token.tf")
	example += "output \"expires\" { value = terraform_data.machine_token.output }\n"
	apply := func(text string) (shown time.Time) {
		t.Helper()
		providertest.Write(t, file, text)
		if out := c.Must(t, "apply", "-auto-approve"); strings.Contains(out, "raise its version") {
			t.Errorf("the check warns:\n%s", out)
		}
		text, _ = c.Outputs(t)["expires"].(string)
		shown, err := time.Parse(time.RFC3339, text)
		testworld.NoError(t, err)
		claims, err := controlplane.ReadToken(secretText(t, cp, "shop", "machine-token"))
		if err != nil || claims.Expires.Sub(shown).Abs() > time.Minute {
			t.Errorf("the token expires at %v, shown %v, error %v", claims.Expires, shown, err)
		}
		return shown
	}
	first := apply(example)
	if again := apply(strings.Replace(example, `"720h"`, `"721h"`, 1)); !again.Equal(first) {
		t.Errorf("without a new version, the expiry changes from %v to %v", first, again)
	}
	shorter := strings.NewReplacer(version, "token_version = 2", `"720h"`, `"200h"`).Replace(example)
	if next := apply(shorter); !next.Before(first) {
		t.Errorf("with a new version, the expiry is %v, before %v", next, first)
	}
}

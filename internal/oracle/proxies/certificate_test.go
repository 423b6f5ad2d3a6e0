package proxies_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// certificates reads when the certificates of the proxies expire, with a check that warns.
const certificates = `
provider "kuma" {
  endpoint = %q
}
variable "within" {}
data "kuma_proxies" "m" {
  mesh           = "m"
  expires_within = var.within
}
output "expiring" { value = join(",", data.kuma_proxies.m.certificates.expiring) }
output "ready" { value = data.kuma_proxies.m.certificates.ready }
check "certificates" {
  assert {
    condition     = data.kuma_proxies.m.certificates.expiring_count == 0
    error_message = data.kuma_proxies.m.summary
  }
}
`

// TestExpiringCertificate reads the certificate of a proxy whose MeshIdentity issues them
// for half an hour.
func TestExpiringCertificate(t *testing.T) {
	terraform := needTerraform(t)
	t.Setenv("KUMA_XDS_SERVER_DATAPLANE_STATUS_FLUSH_INTERVAL", "1s")
	cp := start(t)
	shortLived := strings.NewReplacer("MESH", "m", "bundled: {", "bundled: {certificateParameters: {expiry: 30m}, ")
	resources := store(t, cp, plainMesh, shortLived.Replace(everyone), dataplane("web", 1))
	connect(t, cp, resources)
	err := oracle.Until(t.Context(), time.Minute, time.Second/2, "the certificate in the overview", func(ctx context.Context) (bool, error) {
		seen, _, err := proxiesOf(ctx, cp)
		return err == nil && seen[0].Certificate != nil, err
	})
	testworld.NoError(t, err)
	run := newTerraform(t, terraform, fmt.Sprintf(certificates, cp.Endpoint))
	for within, wants := range map[string][]string{
		"1h": {`expiring = "web"`, "ready = true", "Check block assertion failed"},
		"1m": {`expiring = ""`, "ready = true"},
	} {
		out, err := run("apply", "-auto-approve", "-no-color", "-var", "within="+within)
		for _, want := range wants {
			if err != nil || !strings.Contains(strings.Join(strings.Fields(string(out)), " "), want) {
				t.Errorf("within %s: %v, want %q:\n%s", within, err, want, out)
			}
		}
	}
}

package proxies_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// uncached is how long a control plane uses an old list of revoked tokens or an old key.
const uncached = 1500 * time.Millisecond

// connectWith connects the proxy web with a token and disconnects it.
func connectWith(t *testing.T, cp *oracle.Site, token string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	p, err := proxies.Connect(ctx, cp, proxies.Options{Mesh: "m", Dataplane: "web", Token: token})
	if err != nil {
		return err
	}
	return p.Close()
}

// rejectedAs checks the reason for which a token is rejected; the token is accepted if it
// is empty.
func rejectedAs(t *testing.T, cp *oracle.Site, about, token, reason string) {
	t.Helper()
	if err := connectWith(t, cp, token); (err != nil) != (reason != "") || err != nil && !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: error %v, want %q", about, err, reason)
	}
}

func issue(t *testing.T, cp *oracle.Site) (token, id string) {
	t.Helper()
	token, err := cp.Client.IssueToken(t.Context(), controlplane.DataplaneToken{Mesh: "m", Name: "web", ValidFor: "24h"})
	testworld.NoError(t, err)
	claims, err := controlplane.ReadToken(token)
	testworld.NoError(t, err)
	return token, claims.ID
}

// TestRevocationLists writes lists of revoked tokens in several forms: which of them the
// data plane server reads.
func TestRevocationLists(t *testing.T) {
	cp := start(t)
	store(t, cp, plainMesh, dataplane("web", 1))
	token, id := issue(t, cp)
	const revoked = "token is revoked"
	for _, c := range []struct{ resource, list, reason string }{
		{"Secret, mesh: m", id, ""},
		{"GlobalSecret", id, revoked},
		{"GlobalSecret", "other", ""},
		{"GlobalSecret", "other," + id, revoked},
		{"GlobalSecret", "other," + id + "\n", revoked},
		{"GlobalSecret", "other, " + id, ""},
		{"GlobalSecret", "other\n" + id, ""},
	} {
		store(t, cp, fmt.Sprintf("{type: %s, name: dataplane-token-revocations-m, data: %s}", c.resource, base64.StdEncoding.EncodeToString([]byte(c.list))))
		time.Sleep(uncached)
		rejectedAs(t, cp, fmt.Sprintf("%s %q", c.resource, c.list), token, c.reason)
	}
}

// TestConnectedProxyWithRevokedToken revokes the token of a connected proxy, which gets
// the next change.
func TestConnectedProxyWithRevokedToken(t *testing.T) {
	cp := start(t)
	store(t, cp, plainMesh, dataplane("web", 1))
	token, id := issue(t, cp)
	p, err := proxies.Connect(t.Context(), cp, proxies.Options{Mesh: "m", Dataplane: "web", Token: token})
	testworld.NoError(t, err)
	defer p.Close()
	store(t, cp, fmt.Sprintf("{type: GlobalSecret, name: dataplane-token-revocations-m, data: %s}", base64.StdEncoding.EncodeToString([]byte(id))))
	time.Sleep(uncached)
	before := p.Responses(envoy.Listeners).Accepted
	store(t, cp, timeout("7s"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := p.Await(ctx, func() bool { return p.Responses(envoy.Listeners).Accepted > before }); err != nil {
		t.Error(err)
	}
	testworld.NoError(t, p.Close())
	rejectedAs(t, cp, "connecting again", token, "token is revoked")
}

// tokenActions revokes a token, and rotates the signing key.
const tokenActions = `
provider "kuma" {
  endpoint = %q
}
action "kuma_revoke_token" "web" {
  config {
    type = "dataplane"
    mesh = "m"
    ids  = [%q]
  }
}
action "kuma_rotate_signing_key" "m" {
  config {
    type          = "dataplane"
    mesh          = "m"
    keep_previous = 0
  }
}
`

// TestTokenActions revokes a token and rotates the signing key by the actions of the
// provider.
func TestTokenActions(t *testing.T) {
	terraform := needActions(t)
	cp := start(t)
	store(t, cp, plainMesh, dataplane("web", 1))
	first, id := issue(t, cp)
	second, _ := issue(t, cp)
	run := newTerraform(t, terraform, fmt.Sprintf(tokenActions, cp.Endpoint, id))
	for token, reason := range map[string]string{first: "", second: ""} {
		rejectedAs(t, cp, "before", token, reason)
	}
	invoke := func(name, want string) {
		t.Helper()
		out, err := run("apply", "-auto-approve", "-no-color", "-invoke=action."+name)
		t.Logf("%s", out)
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, want %q", err, want)
		}
		time.Sleep(uncached)
	}
	invoke("kuma_revoke_token.web", "are rejected: "+id)
	rejectedAs(t, cp, "the revoked token", first, "token is revoked")
	rejectedAs(t, cp, "the other token", second, "")
	invoke("kuma_rotate_signing_key.m", "dataplane-token-signing-key-m-2 signs tokens")
	rejectedAs(t, cp, "a token of the deleted key", second, "there is no signing key with KID 1")
	third, _ := issue(t, cp)
	rejectedAs(t, cp, "a token of the new key", third, "")
}

// TestTokenActionsOfZone rotates a key on the control plane of a zone, which rejects it
// before anything is written.
func TestTokenActionsOfZone(t *testing.T) {
	terraform := needActions(t)
	global := startOne(t, oracle.Options{Mode: kuma.ModeGlobal})
	zone := startOne(t, oracle.Options{Zone: "east", Global: global})
	store(t, global, plainMesh)
	run := newTerraform(t, terraform, fmt.Sprintf(tokenActions, zone.Endpoint, "any"))
	for _, name := range []string{"kuma_revoke_token.web", "kuma_rotate_signing_key.m"} {
		out, err := run("apply", "-auto-approve", "-no-color", "-invoke=action."+name)
		if err == nil || !strings.Contains(string(out), "Error: Wrong control plane") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

package token_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// secretText returns the value of a stored secret.
func secretText(t *testing.T, cp providertest.ControlPlane, mesh, name string) string {
	t.Helper()
	k := kinds.GlobalSecret
	if mesh != "" {
		k = kinds.Secret
	}
	r, err := cp.Client.Get(t.Context(), cp.Kind(k.Name), mesh, name)
	testworld.NoError(t, err)
	data, err := base64.StdEncoding.DecodeString(fmt.Sprint(r.Body["data"]))
	testworld.NoError(t, err)
	return string(data)
}

// TestRevocationKeepsList adds tokens to a list that another client has written with
// spaces, which make a control plane ignore what follows them.
func TestRevocationKeepsList(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.SharedMesh})
	run.ExpectTimeout()
	run.NeedQuery(t)
	run.Must(t, "apply", "-auto-approve")
	list := kuma.Resource{Type: "GlobalSecret", Name: "dataplane-token-revocations-shop", Body: map[string]any{"data": base64.StdEncoding.EncodeToString([]byte("first, second\n"))}}
	cp.Put(t, list)
	providertest.Write(t, filepath.Join(run.Dir, "action.tf"), testworld.Text(t, filepath.Join(providertest.Examples, "actions", "kuma_revoke_token", "action.tf")))
	out := run.Must(t, "apply", "-auto-approve")
	const effect = "These tokens for proxies of mesh \"shop\" will be rejected: 0f1a6a0e-8f3c-4a55-9d0e-3c2b7c1f6e11. Proxies that are connected with such a token stay connected, and cannot connect again until they have a new token."
	if text := providertest.Unwrapped(out); !strings.Contains(text, effect) || !strings.Contains(text, strings.Replace(effect, "will be", "are", 1)) {
		t.Errorf("the plan or the apply does not say %q:\n%s", effect, out)
	}
	if out := run.Must(t, "apply", "-auto-approve", "-invoke=action.kuma_revoke_token.proxies"); !strings.Contains(out, "The tokens were already revoked.") {
		t.Errorf("the second revocation says\n%s", out)
	}
	if got := secretText(t, cp, "", "dataplane-token-revocations-shop"); got != "first,second,0f1a6a0e-8f3c-4a55-9d0e-3c2b7c1f6e11" {
		t.Errorf("the list is %q", got)
	}
}

// parallelActions are actions that Terraform invokes at the same time.
const parallelActions = `
variable "round" {}
resource "terraform_data" "revocation" {
  count = 12
  input = var.round
  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.kuma_revoke_token.shop[count.index]]
    }
  }
  depends_on = [kuma_mesh.shop]
}
action "kuma_revoke_token" "shop" {
  count = 12
  config {
    type = "dataplane"
    mesh = "shop"
    ids  = ["${var.round}-${count.index}"]
  }
}
resource "terraform_data" "rotation" {
  count = 3
  input = var.round
  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.kuma_rotate_signing_key.shop[count.index]]
    }
  }
  depends_on = [kuma_mesh.shop]
}
action "kuma_rotate_signing_key" "shop" {
  count = 3
  config {
    type = "dataplane"
    mesh = "shop"
  }
}
`

// TestParallelActionsLoseNothing revokes tokens and rotates a key by several actions of one
// apply, also when the list of revoked tokens does not exist yet.
func TestParallelActionsLoseNothing(t *testing.T) {
	t.Parallel()
	rounds := 2
	switch {
	case testworld.Nightly() && providertest.RealEndpoint == "":
		rounds = 100
	case testworld.Nightly():
		rounds = 10
	}
	cp := providertest.NewControlPlane(t)
	run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.SharedMesh + parallelActions})
	run.ExpectTimeout()
	run.NeedQuery(t)
	signingKeys := func() int { return len(storedNames(t, cp, kinds.Secret, "shop", "dataplane-token-signing-key-shop-")) }
	var want []string
	keys := 0
	for round := range rounds {
		if round%2 == 0 && round > 0 { // the mesh does not exist at first, nor does the list
			testworld.NoError(t, cp.Client.Delete(t.Context(), cp.Kind("GlobalSecret"), "", "dataplane-token-revocations-shop"))
			want = nil
		}
		if out := run.Must(t, "apply", "-auto-approve", "-var", fmt.Sprint("round=", round)); strings.Contains(out, "another client") {
			t.Errorf("round %d: there was no other client\n%s", round, out)
		}
		for i := range 12 {
			want = append(want, fmt.Sprintf("%d-%d", round, i))
		}
		got := strings.Split(secretText(t, cp, "", "dataplane-token-revocations-shop"), ",")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("round %d: the list has %d tokens, want %d: %q", round, len(got), len(want), got)
		}
		before := keys
		if keys = signingKeys(); round > 0 && keys != before+3 {
			t.Errorf("round %d: %d keys after 3 rotations of %d", round, keys, before)
		}
	}
}

// storedNames returns what follows the prefix in the names of the stored resources that have it.
func storedNames(t *testing.T, cp providertest.ControlPlane, k def.Kind, mesh, prefix string) []string {
	t.Helper()
	all, err := cp.Client.List(t.Context(), cp.Kind(k.Name), mesh)
	testworld.NoError(t, err)
	var names []string
	for _, s := range all {
		if name, found := strings.CutPrefix(s.Name, prefix); found {
			names = append(names, name)
		}
	}
	return names
}

// TestRotateSigningKey rotates the keys of proxies, and deletes those before the previous
// one. A control plane of Kuma creates the first key with the mesh.
func TestRotateSigningKey(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.SharedMesh})
	run.ExpectTimeout()
	run.NeedQuery(t)
	run.Must(t, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(run.Dir, "action.tf"), testworld.Text(t, filepath.Join(providertest.Examples, "actions", "kuma_rotate_signing_key", "action.tf")))
	const prefix = "dataplane-token-signing-key-shop-"
	before := len(storedNames(t, cp, kinds.Secret, "shop", prefix))
	for serial := before + 1; serial <= before+3; serial++ {
		out := run.Must(t, "apply", "-auto-approve", "-var", fmt.Sprint("quarter=", serial))
		want := fmt.Sprint(serial)
		if serial > 1 {
			want = fmt.Sprint(serial-1, " ", want)
		}
		testworld.Equal(t, "the keys are", want, strings.Join(storedNames(t, cp, kinds.Secret, "shop", prefix), " "))
		said := fmt.Sprintf("%s%d signs tokens for proxies of mesh \"shop\" from now on.", prefix, serial)
		rejected := fmt.Sprintf("All tokens for proxies of mesh \"shop\" that were signed with %s%d will be rejected. Proxies that are connected with such a token stay connected, and cannot connect again until they have a new token. Mesh \"shop\" has 0 connected proxies.", prefix, serial-2)
		if text := providertest.Unwrapped(out); !strings.Contains(text, said) || strings.Contains(text, rejected) != (serial > 2) {
			t.Errorf("rotation %d:\n%s", serial, out)
		}
		key := secretText(t, cp, "shop", fmt.Sprint(prefix, serial))
		if !strings.HasPrefix(key, "-----BEGIN RSA PRIVATE KEY-----") || strings.Contains(out+testworld.Text(t, filepath.Join(run.Dir, "terraform.tfstate")), strings.Split(key, "\n")[1]) {
			t.Error("the key is missing, or the output or the state contains it")
		}
	}
}

// TestTokenActionMistakes checks what is reported before anything is written.
func TestTokenActionMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewEmbedded(t)
	cp.Put(t, kuma.Resource{
		Type: "GlobalSecret", Name: fmt.Sprint("zone-token-signing-key-", math.MaxInt64), Body: map[string]any{"data": "a2V5"},
	})
	for name, test := range map[string]struct{ action, want string }{
		"no next serial":   {`kuma_rotate_signing_key type = "zone"`, `"zone-token-signing-key-9223372036854775807" has the highest serial number`},
		"no mesh":          {`kuma_revoke_token ids = ["a"]; type = "dataplane"`, "Missing mesh"},
		"mesh of a user":   {`kuma_rotate_signing_key type = "user"; mesh = "shop"`, "Unused mesh"},
		"token as an id":   {`kuma_revoke_token ids = ["a.b.c"]; type = "user"`, "Invalid identifier"},
		"escape in an id":  {`kuma_revoke_token ids = ["\u001b[2J"]; type = "user"`, "Invalid identifier"},
		"no identifiers":   {`kuma_revoke_token ids = []; type = "user"`, "Missing identifiers"},
		"null identifier":  {`kuma_revoke_token ids = ["a", null]; type = "user"`, "Null element"},
		"misspelled type":  {`kuma_revoke_token ids = ["a"]; type = "usr"`, `"usr" is not valid. Valid values: dataplane, user or zone. Did you mean "user"?`},
		"name of a mesh":   {`kuma_revoke_token ids = ["a"]; type = "dataplane"; mesh = "Shop"`, "Invalid name"},
		"negative":         {`kuma_rotate_signing_key type = "user"; keep_previous = -1`, "Invalid number"},
		"misspelled mesh":  {`kuma_rotate_signing_key type = "dataplane"; mesh = "shpo"`, `The control plane has no mesh "shpo".`},
		"mesh of no token": {`kuma_revoke_token ids = ["a"]; type = "dataplane"; mesh = "shpo"`, `The control plane has no mesh "shpo".`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, code := invokeByCLI(t, providertest.RequiredProvider+cp.Config, test.action); code == 0 || !strings.Contains(providertest.Unwrapped(out), test.want) {
				t.Errorf("exit code %d, want %q:\n%s", code, test.want, out)
			}
		})
	}
}

// invokeByCLI invokes an action, given by its type and its arguments, and returns the output and the exit code.
func invokeByCLI(t *testing.T, provider, action string) (string, int) {
	t.Helper()
	typeName, arguments, _ := strings.Cut(action, " ")
	run := providertest.NewCLI(t, map[string]string{"main.tf": provider + fmt.Sprintf("action %q \"a\" {\n  config {\n    %s\n  }\n}\n", typeName, strings.ReplaceAll(arguments, "; ", "\n    "))})
	run.NeedQuery(t)
	return run.Run(t, "apply", "-auto-approve", "-invoke=action."+typeName+".a")
}

// trigger invokes the action "a" of a type when the variable n changes.
func trigger(typeName, arguments string) string {
	return fmt.Sprintf(`
variable "n" {
  default = 1
}
resource "terraform_data" "trigger" {
  input = var.n
  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.%[1]s.a]
    }
  }
}
action %[1]q "a" {
  config {
    %[2]s
  }
}
`, typeName, arguments)
}

// TestTokenActionMistakesKnownLate checks arguments that are not known until apply: Terraform
// does not validate them again.
func TestTokenActionMistakesKnownLate(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for want, arguments := range map[string]string{
		"Missing identifiers": "type = \"user\"\n    ids = terraform_data.late.output.none",
		`"usr" is not valid`:  "type = terraform_data.late.output.type\n    ids = [\"a\"]",
	} {
		cp := providertest.NewEmbedded(t)
		run := providertest.NewCLI(t, map[string]string{
			"main.tf":   providertest.RequiredProvider + cp.Config + "resource \"terraform_data\" \"late\" {\n  input = { none = [], type = \"usr\" }\n}\n",
			"action.tf": strings.Replace(trigger("kuma_revoke_token", arguments), "  lifecycle", "  depends_on = [terraform_data.late]\n  lifecycle", 1),
		})
		run.NeedQuery(t)
		if out, code := run.Run(t, "apply", "-auto-approve"); code == 0 || !strings.Contains(providertest.Unwrapped(out), want) {
			t.Errorf("exit code %d, want %q:\n%s", code, want, out)
		}
		if len(cp.Keys(t)) > 0 {
			t.Errorf("%s: the action wrote %v", want, cp.Keys(t))
		}
	}
}

// TestTokenActionsRejectManagedResources checks that no action changes what a resource of the
// configuration manages, whether that exists or not, and in which order Terraform plans them.
func TestTokenActionsRejectManagedResources(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	const (
		list = "resource \"kuma_global_secret\" \"list\" {\n  name = \"user-token-revocations\"\n  data = \"first\"\n}\n"
		key  = "resource \"kuma_secret\" \"key\" {\n  mesh = kuma_mesh.shop.name\n  name = \"dataplane-token-signing-key-shop-1\"\n  data = \"key\"\n}\n"
	)
	for name, test := range map[string]struct {
		resource, typeName, arguments, want string
	}{
		"list":           {list, "kuma_revoke_token", "type = \"user\"\n    ids = [\"a\"]", `GlobalSecret "user-token-revocations" is managed by a kuma_global_secret of this configuration`},
		"key that signs": {key, "kuma_rotate_signing_key", "type = \"dataplane\"\n    mesh = \"shop\"\n    keep_previous = 0", `Secret "dataplane-token-signing-key-shop-1" of mesh "shop" is managed by a kuma_secret of this configuration`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewEmbedded(t)
			run := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + providertest.SharedMesh + test.resource})
			run.NeedQuery(t)
			action := filepath.Join(run.Dir, "action.tf")
			rejected := func(when string) {
				t.Helper()
				providertest.Write(t, action, trigger(test.typeName, test.arguments))
				before := cp.Keys(t)
				if out, code := run.Run(t, "apply", "-auto-approve"); code == 0 || !strings.Contains(providertest.Unwrapped(out), test.want) {
					t.Errorf("%s: exit code %d, want %q:\n%s", when, code, test.want, out)
				}
				if after := cp.Keys(t); !maps.Equal(before, after) {
					t.Errorf("%s: stored %v, before %v", when, after, before)
				}
				providertest.Write(t, action, "")
			}
			rejected("in the first apply")
			run.Must(t, "apply", "-auto-approve")
			rejected("when the resource exists")
			if name == "list" { // with all tokens, there is nothing to change
				providertest.Write(t, action, trigger(test.typeName, strings.Replace(test.arguments, `"a"`, `"first"`, 1)))
				run.Must(t, "apply", "-auto-approve")
			}
		})
	}
}

// zoneServer is the control plane of a zone with a global control plane.
type zoneServer struct{ providertest.OverviewServer }

func (s *zoneServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/config" {
		_, _ = fmt.Fprint(w, `{"mode": "zone", "environment": "universal", "multizone": {"zone": {"name": "zone-1", "globalAddress": "grpcs://global:5685"}}}`)
		return
	}
	s.OverviewServer.ServeHTTP(w, r)
}

// TestTokenActionsOfZone shows which actions the control plane of a zone cannot carry out.
func TestTokenActionsOfZone(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	server := &zoneServer{}
	provider := providertest.RequiredProvider + server.Start(t, server)
	const wrong = "Its global control plane keeps the keys and the revocations"
	for action, want := range map[string]string{
		`kuma_revoke_token ids = ["a"]; type = "dataplane"; mesh = "m"`: wrong,
		`kuma_revoke_token ids = ["a"]; type = "zone"`:                  wrong,
		`kuma_revoke_token ids = ["a"]; type = "user"`:                  "These tokens for users are rejected: a.",
		`kuma_rotate_signing_key type = "dataplane"; mesh = "m"`:        wrong,
		`kuma_rotate_signing_key type = "zone"`:                         wrong,
	} {
		out, code := invokeByCLI(t, provider, action)
		if (code != 0) != (want == wrong) || !strings.Contains(providertest.Unwrapped(out), want) {
			t.Errorf("%s: exit code %d, want %q:\n%s", action, code, want, out)
		}
		if n := strings.Count(out, "Error: "); n > 1 {
			t.Errorf("%s: %d errors:\n%s", action, n, out)
		}
	}
}

package token_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestTokens opens each ephemeral resource with the real CLI. The echo provider stores
// the result in the state.
func TestTokens(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.OnEachRelease(t, testTokens)
}

func testTokens(t *testing.T, open providertest.Opener) {
	t.Helper()
	for name, test := range map[string]struct {
		typeName string
		config   string
		want     map[string]any
		needs    []providertest.Requirement
	}{
		"dataplane": {
			"kuma_dataplane_token",
			`mesh = kuma_mesh.shop.name
			 name = "checkout-1"
			 type = "dataplane"
			 tags = { "kuma.io/service" = ["checkout", "checkout-admin"] }
			 valid_for = "1h"`,
			map[string]any{
				"Mesh": "shop", "Name": "checkout-1", "Type": "dataplane",
				"Tags": map[string]any{"kuma.io/service": []any{"checkout", "checkout-admin"}}, "minutes": 60.0,
			},
			[]providertest.Requirement{providertest.BeforeKuma3},
		},
		"dataplane with labels": {
			"kuma_dataplane_token",
			`mesh = kuma_mesh.shop.name
			 name = "checkout-1"
			 tags = { app = ["checkout"] }
			 valid_for = "1h"`,
			map[string]any{"Mesh": "shop", "Name": "checkout-1", "Tags": map[string]any{"app": []any{"checkout"}}, "minutes": 60.0},
			nil,
		},
		"dataplane of a workload": {
			"kuma_dataplane_token",
			`mesh = kuma_mesh.shop.name
			 workload = "checkout"`,
			map[string]any{"Mesh": "shop", "Workload": "checkout", "minutes": 5256000.0},
			[]providertest.Requirement{providertest.Writes(kinds.Workload)},
		},
		"zone": {"kuma_zone_token", `zone = "east"
			scope = ["cp", "ingress"]`, map[string]any{"Zone": "east", "Scope": []any{"cp", "ingress"}, "minutes": 5256000.0}, []providertest.Requirement{providertest.BeforeKuma3}},
		"zone without scopes": {"kuma_zone_token", `zone = "east"`, map[string]any{"Zone": "east", "minutes": 5256000.0}, []providertest.Requirement{providertest.Since("3.0")}},
		"user": {"kuma_user_token", `name = "Jane Doe"
			groups = ["team"]
			valid_for = "30m"`, map[string]any{"Name": "Jane Doe", "Groups": []any{"team"}, "minutes": 30.0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			cp := open(t, test.needs...)
			mesh := cp.Config + providertest.SharedMesh
			servers := maps.Clone(providertest.Factories)
			servers["echo"] = echoprovider.NewProviderServer()
			resource.Test(t, resource.TestCase{
				TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_10_0)},
				ProtoV6ProviderFactories: servers,
				Steps: []resource.TestStep{
					{Config: mesh},
					{
						Config: mesh + fmt.Sprintf("ephemeral %q \"test\" {\n%s\n}\nprovider \"echo\" {\n  data = ephemeral.%s.test.token\n}\nresource \"echo\" \"test\" {}\n", test.typeName, test.config, test.typeName),
						ConfigStateChecks: []statecheck.StateCheck{
							statecheck.ExpectKnownValue("echo.test", tfjsonpath.New("data"), knownvalue.StringFunc(func(token string) error { return says(token, test.want) })),
						},
					},
				},
			})
		})
	}
}

// says compares the claims of a token; minutes is its validity period.
func says(token string, want map[string]any) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return fmt.Errorf("%q is not a token", token)
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return err
	}
	var claims map[string]any
	if err := json.Unmarshal(data, &claims); err != nil {
		return err
	}
	expires, _ := claims["exp"].(float64)
	issued, _ := claims["iat"].(float64)
	claims["minutes"] = math.Floor((expires - issued) / 60) // releases since 2.10 add some seconds
	for _, name := range []string{"exp", "iat", "nbf", "jti"} {
		delete(claims, name)
	}
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil || tree.IsEmpty(v) }) // releases differ in which they print
	if diff := cmp.Diff(want, claims); diff != "" {
		return fmt.Errorf("claims (-want +got):\n%s", diff)
	}
	return nil
}

// TestTokenMistakes checks that invalid arguments are reported before a token is requested: by
// the plan, and by the opening for those that are not known before, which OpenTofu does not
// validate then.
func TestTokenMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typeName string
		config   map[string]any
		want     []string
	}{
		"right":            {"kuma_dataplane_token", map[string]any{"mesh": "shop", "type": "ingress", "valid_for": "1h30m"}, nil},
		"unknown values":   {"kuma_zone_token", map[string]any{"zone": tftypes.UnknownValue, "scope": tftypes.UnknownValue, "valid_for": tftypes.UnknownValue}, nil},
		"unknown scope":    {"kuma_zone_token", map[string]any{"zone": "east", "scope": []any{tftypes.UnknownValue}}, nil},
		"name of a mesh":   {"kuma_dataplane_token", map[string]any{"mesh": "My Mesh"}, []string{`ERROR mesh Invalid name: "My Mesh" is not a valid resource name. It must consist of`}},
		"name":             {"kuma_dataplane_token", map[string]any{"mesh": "shop", "name": ""}, []string{`ERROR name Invalid name: "" is not a valid resource name. It must consist of`}},
		"misspelled type":  {"kuma_dataplane_token", map[string]any{"mesh": "shop", "type": "ingres"}, []string{`ERROR type Invalid value: "ingres" is not valid. Valid values: dataplane, ingress or egress. Did you mean "ingress"?`}},
		"days":             {"kuma_dataplane_token", map[string]any{"mesh": "shop", "valid_for": "10d"}, []string{`ERROR valid_for Invalid duration: "10d" is not valid. The value must be a positive duration such as "24h" or "30m". The largest unit is the hour: a year is "8760h".`}},
		"expired":          {"kuma_user_token", map[string]any{"name": "ci", "valid_for": "-1h"}, []string{`ERROR valid_for Invalid duration: "-1h" is not valid. The value must be a positive duration`}},
		"zero":             {"kuma_user_token", map[string]any{"name": "ci", "valid_for": "0s"}, []string{`ERROR valid_for Invalid duration: "0s" is not valid. The value must be a positive duration`}},
		"no user":          {"kuma_user_token", map[string]any{"name": "", "valid_for": "1h"}, []string{`ERROR name Invalid empty string: The value must not be empty.`}},
		"no scope":         {"kuma_zone_token", map[string]any{"zone": "east", "scope": []any{}}, []string{`ERROR scope Empty value: scope must not be null or empty: an empty value does not restrict the token.`}},
		"null scope":       {"kuma_zone_token", map[string]any{"zone": "east", "scope": []any{"cp", nil}}, []string{`ERROR scope Empty value: scope[1] must not be null or empty`}},
		"empty scope":      {"kuma_zone_token", map[string]any{"zone": "east", "scope": []any{""}}, []string{`ERROR scope Empty value: scope[0] must not be null or empty`}},
		"no tags":          {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{}}, []string{`ERROR tags Empty value: tags must not be null or empty: an empty value does not restrict the token. Set a value, or remove tags if that is intended.`}},
		"no values":        {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{"app": []any{"web"}, "kuma.io/service": []any{}}}, []string{`ERROR tags Empty value: tags["kuma.io/service"] must not be null or empty`}},
		"no name of a tag": {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{"": []any{"web"}}}, []string{`ERROR tags Empty name of a tag: tags has a tag without a name`}},
		"null values":      {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{"app": nil}}, []string{`ERROR tags Empty value: tags["app"] must not be null or empty`}},
		"null value":       {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{"app": []any{nil}}}, []string{`ERROR tags Empty value: tags["app"][0] must not be null or empty`}},
		"empty value":      {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{"app": []any{"web", " "}}}, []string{`ERROR tags Empty value: tags["app"][1] must not be null or empty`}},
		"unknown tags":     {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": tftypes.UnknownValue}, nil},
		"unknown tag":      {"kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{"app": tftypes.UnknownValue}}, nil},
		"no workload":      {"kuma_dataplane_token", map[string]any{"mesh": "shop", "workload": ""}, []string{`ERROR workload Invalid name: "" is not a valid resource name.`}},
		"no type":          {"kuma_dataplane_token", map[string]any{"mesh": "shop", "type": ""}, []string{`ERROR type Invalid value: "" is not valid.`}},
		"no groups":        {"kuma_user_token", map[string]any{"name": "ci", "valid_for": "1h", "groups": []any{}}, []string{`ERROR groups Empty value: groups must not be null or empty`}},
		"null group":       {"kuma_user_token", map[string]any{"name": "ci", "valid_for": "1h", "groups": []any{nil}}, []string{`ERROR groups Empty value: groups[0] must not be null or empty`}},
		"misspelled scope": {"kuma_zone_token", map[string]any{"zone": "east", "scope": []any{"cp", "egres"}}, []string{`WARNING scope Unknown scope: Kuma does not support the scope "egres", but a distribution of it may. Scopes of Kuma: cp, ingress or egress. Did you mean "egress"?`}},
		"two at one time":  {"kuma_zone_token", map[string]any{"zone": "East", "scope": []any{"cp"}, "valid_for": "1y"}, []string{`ERROR valid_for Invalid duration`, `ERROR zone Invalid name`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := provider.NewServer("test", providertest.Impatient)()
			resp, err := server.ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: test.typeName, Config: ephemeralConfig(t, server, test.typeName, test.config)})
			testworld.NoError(t, err)
			expectTold(t, resp.Diagnostics, test.want)
			if len(test.want) == 0 || !providertest.HasErrors(resp.Diagnostics) {
				return
			}
			requests := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					requests++
				}
				_, _ = w.Write([]byte(`{"product":"Kuma","mode":"zone"}`))
			}))
			t.Cleanup(s.Close)
			expectTold(t, openToken(t, map[string]any{"endpoint": s.URL}, test.typeName, test.config), test.want)
			if requests > 0 {
				t.Error("a token was requested")
			}
		})
	}
}

// TestTokenRefusals checks that an error of the control plane is reported on the
// attribute, or says what to do.
func TestTokenRefusals(t *testing.T) {
	t.Parallel()
	refuse := func(status int, body string) map[string]any {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = w.Write([]byte(`{"product":"Kuma","mode":"zone"}`))
				return
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		return map[string]any{"endpoint": s.URL}
	}
	config := map[string]any{"mesh": "shop", "valid_for": "1h"}
	for name, test := range map[string]struct {
		provider map[string]any
		want     string
	}{
		"no such mesh":      {map[string]any{"embedded": map[string]any{"directory": t.TempDir()}}, `ERROR mesh Cannot issue the token: There is no mesh with that name that has a key to sign tokens. Check the name, or create the mesh first.`},
		"refused attribute": {refuse(400, `{"type":"/std-errors","title":"Invalid request","invalid_parameters":[{"field":"validFor","reason":"is too long"}]}`), "ERROR valid_for Cannot issue the token: The control plane rejected valid_for: is too long."},
		"refused":           {refuse(400, `{"type":"/std-errors","title":"Invalid request","detail":"no"}`), "ERROR Cannot issue the token: POST /tokens/dataplane: invalid request: no."},
		"no permission":     {refuse(403, `{"type":"/std-errors","title":"Access Denied","detail":"no such user"}`), "ERROR Cannot issue the token: POST /tokens/dataplane: access denied: no such user, and no token was sent. Set token in the provider block, or the environment variable KUMA_TOKEN, to the token of a user with this permission."},
		"nothing there":     {map[string]any{"endpoint": ""}, "ERROR Missing control plane configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			expectTold(t, openToken(t, test.provider, "kuma_dataplane_token", config), []string{test.want})
		})
	}
}

// TestTokensThatTheReleaseDoesNotIssue checks that no token is requested that would lack a
// restriction, or that would be useless.
func TestTokensThatTheReleaseDoesNotIssue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version, typeName string
		values            map[string]any
		want              string
	}{
		"ignored restriction":    {"2.11.18", "kuma_dataplane_token", map[string]any{"mesh": "shop", "workload": "checkout"}, "ERROR workload Argument does not match the release: The control plane does not support Workload, and would ignore the argument"},
		"zone without scope":     {"2.14.3", "kuma_zone_token", map[string]any{"zone": "east"}, "ERROR scope Argument does not match the release: Before Kuma 3.0 the token of a zone must have a scope."},
		"scope in 3.0":           {"3.0.1", "kuma_zone_token", map[string]any{"zone": "east", "scope": []any{"cp"}}, "ERROR scope Argument does not match the release: Since Kuma 3.0 the token of a zone has no scope"},
		"zone proxy in 3.0":      {"3.0.1", "kuma_dataplane_token", map[string]any{"mesh": "shop", "type": "ingress"}, "ERROR type Argument does not match the release: Since Kuma 3.0 a zone proxy is a Dataplane with listeners"},
		"tag of services in 3.0": {"3.0.1", "kuma_dataplane_token", map[string]any{"mesh": "shop", "tags": map[string]any{"kuma.io/service": []any{"web"}}}, "ERROR tags Argument does not match the release: Since Kuma 3.0 tags are compared with the labels of the Dataplane"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					t.Errorf("%s %s", r.Method, r.URL)
				}
				_, _ = fmt.Fprintf(w, `{"product":"Kuma","version":%q,"mode":"zone","resources":[{"name":"Mesh","path":"meshes","scope":"Global"}]}`, test.version)
			}))
			t.Cleanup(s.Close)
			expectTold(t, openToken(t, map[string]any{"endpoint": s.URL}, test.typeName, test.values), []string{test.want})
		})
	}
}

// openToken opens an ephemeral resource with a configuration of the provider, and returns what is reported.
func openToken(t *testing.T, config map[string]any, typeName string, arguments map[string]any) []*tfprotov6.Diagnostic {
	t.Helper()
	server := configured(t, config)
	resp, err := server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: typeName, Config: ephemeralConfig(t, server, typeName, arguments)})
	testworld.NoError(t, err)
	return resp.Diagnostics
}

func ephemeralConfig(t *testing.T, server tfprotov6.ProviderServer, typeName string, values map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	testworld.NoError(t, err)
	typ := schemas.EphemeralResourceSchemas[typeName].ValueType()
	config, err := tfprotov6.NewDynamicValue(typ, providertest.ValueOf(t, typ, values))
	testworld.NoError(t, err)
	return &config
}

// expectTold compares the beginnings of diagnostics, in any order.
func expectTold(t *testing.T, diags []*tfprotov6.Diagnostic, want []string) {
	t.Helper()
	got := providertest.Told(diags)
	slices.Sort(got)
	ok := len(got) == len(want)
	for i := range got {
		ok = ok && strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		t.Errorf("diagnostics %q, want %q", got, want)
	}
}

// TestTokenExamples applies every example of an ephemeral resource on a control plane
// with the mesh of the examples.
func TestTokenExamples(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for _, name := range []string{"kuma_dataplane_token", "kuma_user_token", "kuma_zone_token"} {
		for _, file := range testworld.Files(t, filepath.Join(providertest.Examples, "ephemeral-resources", name, "ephemeral-resource*.tf")) {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				example := testworld.Text(t, file)
				providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
					t.Helper()
					tokenExample(t, open(t), example)
				}, example)
			})
		}
	}
}

func tokenExample(t *testing.T, cp providertest.ControlPlane, text string) {
	t.Helper()
	files := map[string]string{}
	if providertest.RealEndpoint == "" { // a real control plane has it
		files["mesh.tf"] = "resource \"kuma_mesh\" \"default\" {\n  name = \"default\"\n}\n"
	}
	if !strings.Contains(text, `resource "kuma_mesh" "shop"`) {
		files["shop.tf"] = "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n}\n"
	}
	c := providertest.ExampleOn(t, cp, files)
	c.NeedVersion(t, providertest.HasWriteOnly)
	providertest.Write(t, filepath.Join(c.Dir, "example.tf"), text)
	c.NeedMajor(t, cp, text)
	c.NeedRelease(t)
	c.Must(t, "apply", "-auto-approve")
	state := testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate"))
	if strings.Contains(state, ".eyJ") { // the second part of a token
		t.Error("there is a token in the state")
	}
	if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
		t.Errorf("the second plan has changes:\n%s", out)
	}
	providertest.Write(t, filepath.Join(c.Dir, "example.tf"), "")
	c.Must(t, "apply", "-auto-approve") // the example names its mesh, which must be deleted last
}

// TestOpeningIsHarmless checks that opening does not write a signing key to the
// directory.
func TestOpeningIsHarmless(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := embedded.New(embedded.Config{Directory: dir, Release: kuma.Newest2()})
	testworld.NoError(t, err)
	endpoint := httptest.NewServer(s)
	t.Cleanup(endpoint.Close)
	for range 3 {
		expectTold(t, openToken(t, map[string]any{"endpoint": endpoint.URL}, "kuma_user_token", map[string]any{"name": "ci", "valid_for": "1h"}), nil)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("opening wrote %v (%v), want nothing", entries, err)
	}
}

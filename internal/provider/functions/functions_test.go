package functions_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// dataplaneText is a proxy as YAML in HCL.
const dataplaneText = `"{type: Dataplane, name: web-1, networking: {address: 10.0.0.5, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}"`

// TestFunctionsWithUnknowns checks that unknown values make a result unknown only if
// they can change it.
func TestFunctionsWithUnknowns(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+`
resource "terraform_data" "later" { input = "10s" }
locals {
  unknown = terraform_data.later.output
  policy  = { for type in ["MeshTimeout", "MeshRetry"] : type => { type = type, name = "t", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = local.unknown } }] } } }
  other   = { type = "Dataplane", name = "web-2", networking = { address = local.unknown } }
}
output "other_type" { value = provider::kuma::effective_rules([`+dataplaneText+`, local.policy["MeshRetry"]], { dataplane = "web-1", types = ["MeshTimeout"] }).explanation }
output "other_proxy" { value = provider::kuma::effective_rules([`+dataplaneText+`, local.other], { dataplane = "web-1", types = ["MeshTimeout"] }).explanation }
output "same_type" { value = provider::kuma::effective_rules([`+dataplaneText+`, local.policy["MeshTimeout"]], { dataplane = "web-1", types = ["MeshTimeout"] }).explanation }
output "document" { value = provider::kuma::kri(local.policy["MeshTimeout"]) }
output "part" { value = provider::kuma::kri({ kind = "MeshService", name = local.unknown }) }
`)
	const nothing = "No policy has settings for this proxy."
	want := map[string]any{"other_type": nothing, "other_proxy": nothing, "document": "kri_mt_default___t_", "same_type": nil, "part": nil}
	testworld.Equal(t, "outputs, nil where they are unknown", want, got)
}

// TestFunctions calls the functions with arguments that they accept.
func TestFunctions(t *testing.T) {
	t.Parallel()
	config, want := providertest.RequiredProvider, map[string]any{}
	for name, test := range map[string]struct {
		expression string
		want       any
	}{
		"decode two":  {`provider::kuma::decode_documents("{type: Mesh, name: a}\n---\n{type: Mesh, name: b}")[1].name`, "b"},
		"decode none": {`provider::kuma::decode_documents("")`, []any{}},
		"rules of a planned policy in the zone of what is stored": {`keys(provider::kuma::effective_rules([
    { type = "Dataplane", name = "web-1", labels = { "kuma.io/origin" = "zone", "kuma.io/zone" = "east" }, networking = { address = "192.0.2.1", inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } },
    { type = "MeshService", name = "payments", labels = { "kuma.io/origin" = "zone", "kuma.io/zone" = "east" }, spec = { ports = [{ port = 80 }] } },
    { type = "MeshTimeout", name = "t", spec = { to = [{ targetRef = { kind = "MeshService", name = "payments" }, default = { idleTimeout = "7s" } }] } },
  ], { dataplane = "web-1", types = ["MeshTimeout"] }).conf["MeshTimeout"])[0]`, "kri_msvc_default_east__payments_"},
		"rules beside a kind of a control plane": {`provider::kuma::effective_rules([{ type = "Dataplane", name = "web-1", networking = { address = "192.0.2.1", inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } }, { type = "TrafficPermission", name = "t" }], { dataplane = "web-1", types = ["MeshTimeout"] }).explanation`, "No policy has settings for this proxy."},
		"encode":                                 {`provider::kuma::encode_document({ name = "web", type = "MeshService", spec = { ports = [{ port = 80 }] } })`, "type: MeshService\nmesh: default\nname: web\nspec:\n  ports:\n    - port: 80\n"},
		"encode as a resource":                   {`provider::kuma::encode_resource({ name = "shop", type = "Mesh", routing = { zoneEgress = false } })`, "resource \"kuma_mesh\" \"shop\" {\n  name = \"shop\"\n\n  routing {\n    zone_egress = false\n  }\n}\n"},
		"kri of parts":                           {`provider::kuma::kri({ kind = "MeshService", mesh = "shop", zone = "east", name = "cart", section = "http" })`, "kri_msvc_shop_east__cart_http"},
		"kri of a document":                      {`provider::kuma::kri({ type = "MeshTimeout", name = "cart", labels = { "kuma.io/zone" = "east" }, spec = {} })`, "kri_mt_default_east__cart_"},
		"kri of a Kubernetes document":           {`provider::kuma::kri({ apiVersion = "kuma.io/v1alpha1", kind = "MeshTimeout", metadata = { name = "cart", namespace = "shop" }, spec = {} })`, "kri_mt_default__shop_cart_"},
		"parse_kri": {`provider::kuma::parse_kri("kri_msvc_shop_east__cart_http")`, map[string]any{
			"kind": "MeshService", "short_name": "msvc", "mesh": "shop", "zone": "east",
			"namespace": nil, "name": "cart", "section": "http",
		}},
		"parse_kri of an unknown kind":      {`provider::kuma::kri(provider::kuma::parse_kri("kri_odd_shop___cart_"))`, "kri_odd_shop___cart_"},
		"sni of a planned external service": {`provider::kuma::sni({ kri = "kri_extsvc_shop_zone-1__pay_", spec = { match = { port = 9000 } } })`, "sni.extsvc.shop.zone-1.pay.9000"},
		"sni of a named port":               {`provider::kuma::sni({ type = "MeshService", mesh = "shop", name = "a", labels = { "kuma.io/zone" = "zone-1", "k8s.kuma.io/namespace" = "ns1" }, spec = { ports = [{ port = 81 }, { port = 80, name = "http" }] } }, "http")`, "sni.msvc.shop.zone-1.ns1.a.http"},
		"sni of a port by number":           {`provider::kuma::sni({ kind = "MeshMultiZoneService", mesh = "shop", name = "multi" }, 8080)`, "sni.mzsvc.shop.multi.8080"},
		"sni of a section":                  {`provider::kuma::sni(provider::kuma::parse_kri("kri_msvc_shop_east__cart_http"))`, "sni.msvc.shop.east.cart.http"},
		"effective_rules": {`provider::kuma::effective_rules([` + dataplaneText + `, { type = "MeshTimeout", name = "cart", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = "60s" } }] } }], { dataplane = "web-1", types = ["MeshTimeout"] }).conf["MeshTimeout"]`, map[string]any{
			"kri_m____default_": map[string]any{"idleTimeout": "1m0s"},
		}},
		"effective_rules of nothing": {`provider::kuma::effective_rules(` + dataplaneText + `, { dataplane = "web-1", types = ["MeshRetry"] })`, map[string]any{
			"conf": map[string]any{}, "explanation": "No policy has settings for this proxy.", "rules": nil, "default_settings": nil,
			"destination_conf": nil, "explain": nil, "json": nil, "group_count": nil, "groups": nil, "diagram": "flowchart LR",
			"ignored_rules": []any{},
			"digest":        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", // of nothing
			"warnings":      []any{},
		}},
		"effective_rules that the proxy ignores": {`provider::kuma::effective_rules([` + dataplaneText + `, { type = "MeshTrafficPermission", name = "allow", spec = { from = [{ targetRef = { kind = "Mesh" }, default = { action = "Allow" } }] } }], { dataplane = "web-1", types = ["MeshTrafficPermission"] }).ignored_rules`, []any{map[string]any{
			"type": "MeshTrafficPermission", "kri": nil, "port": 80.0, "inbound": nil,
			"policy": map[string]any{
				"name": "allow", "kri": "kri_mtp_default___allow_", "rule_index": 0.0,
			},
			"reason": "The proxy has no certificate, so permissions have no effect.",
		}}},
		"effective_rules in another mesh": {`provider::kuma::effective_rules("{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.5, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}", { mesh = "shop", dataplane = "web-1", types = ["MeshRetry"] }).explanation`, "No policy has settings for this proxy."},
		"mesh_lint of no documents":       {`provider::kuma::mesh_lint([], "shop").counts.error`, 0.0},
	} {
		name = strings.ReplaceAll(name, " ", "_")
		config += "output \"" + name + "\" {\n value = " + test.expression + "\n}\n"
		want[name] = test.want
	}
	testworld.Equal(t, "results", want, providertest.PlannedOutputs(t, config))
}

func TestFunctionMistakes(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	providertest.CheckMistakes(t, "output \"test\" {\n value = %s\n}\n", map[string]providertest.Mistake{
		"decode no YAML":                     {`provider::kuma::decode_documents("[")`, `The string is not valid YAML`},
		"decode no document":                 {`provider::kuma::decode_documents("a: b\n---\ntext")`, `Document 2 is a string, not an object`},
		"rules of a misspelled kind":         {`provider::kuma::effective_rules([{ type = "Dataplane", name = "web-1", networking = { address = "192.0.2.1", inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } }, { type = "MeshTimout", name = "t", spec = {} }], { dataplane = "web-1", types = ["MeshTimeout"] }).explanation`, `Element 1: "MeshTimout" .* \(did you mean "MeshTimeout"\?\)\.`},
		"rules of a misspelled kind in YAML": {`provider::kuma::effective_rules("{type: MeshTimout, name: t, spec: {}}", { dataplane = "web-1", types = ["MeshTimeout"] }).explanation`, `Document 1: "MeshTimout" .* \(did you mean "MeshTimeout"\?\)\.`},
		"encode a misspelled kind":           {`provider::kuma::encode_document({ type = "MeshTimout", name = "t", spec = {} })`, `\(did you mean "MeshTimeout"\?\)\.`},
		"encode no document":                 {`provider::kuma::encode_document({ name = "web" })`, `The field type is missing`},
		"encode a mistake as a resource":     {`provider::kuma::encode_resource({ name = "shop", type = "Mesh", routng = {} })`, `Cannot encode the document as a resource\. Mesh "shop", routng: .* "routng" .* Did you mean "routing"\?`},
		"too many rules": {`provider::kuma::effective_rules(concat([
    { type = "Dataplane", name = "web", networking = { address = "192.0.2.1", inbound = [{ port = 80, tags = { "kuma.io/service" = "web" } }] } },
  ], [{ type = "MeshTrafficPermission", name = "all", spec = { targetRef = { kind = "Mesh" },
    from = [for i in range(12) : { targetRef = { kind = "MeshSubset", tags = { "k${i}" = "v" } }, default = { action = "Allow" } }] } }]), { dataplane = "web", types = ["MeshTrafficPermission"], include = ["json"] })`, `The result takes \d\.\d MB as JSON, but the function returns at most 1 MB .* or remove names from include\.`},
		"kri of no object":                         {`provider::kuma::kri("cart")`, `Must be an object`},
		"kri of too little":                        {`provider::kuma::kri({ kind = "MeshService" })`, `Kind \(or short_name\) and name are required`},
		"kri with an odd part":                     {`provider::kuma::kri({ kind = "MeshService", name = "cart", sectoin = "http" })`, `An identifier has no part "sectoin"\. Valid parts: .* \(did you mean "section"\?\)\.`},
		"kri of an unknown kind":                   {`provider::kuma::kri({ kind = "MeshServcie", name = "cart" })`, `"MeshServcie" .* \(did you mean "MeshService"\?\)\.`},
		"kri with a part that is not a string":     {`provider::kuma::kri({ kind = "MeshService", name = ["cart"] })`, `The part name must be a string, not a list`},
		"parse_kri of anything":                    {`provider::kuma::parse_kri("cart")`, `not an identifier of the form`},
		"sni without a port":                       {`provider::kuma::sni({ kind = "MeshService", mesh = "shop", name = "cart" })`, `Pass section_name to select the port: the identifier has no section`},
		"sni of several ports":                     {`provider::kuma::sni({ type = "MeshService", mesh = "shop", name = "cart", spec = { ports = [{ port = 81 }, { port = 80, name = "http" }] } })`, `Pass section_name to select the port: the service has the ports 81 and\s+http`},
		"sni of a port that does not exist":        {`provider::kuma::sni({ type = "MeshService", mesh = "shop", name = "cart", spec = { ports = [{ port = 80, name = "http" }] } }, "htpp")`, `no port "htpp"\. Its ports: http\.`},
		"sni of two ports":                         {`provider::kuma::sni({ kind = "MeshService", name = "cart" }, "http", "admin")`, `Only one section_name is allowed`},
		"sni of a policy":                          {`provider::kuma::sni({ type = "MeshTimeout", name = "cart" })`, `Only MeshService, MeshExternalService and MeshMultiZoneService have server\s+names`},
		"effective_rules of no proxy":              {`provider::kuma::effective_rules(` + dataplaneText + `, { dataplane = "web-2", types = ["MeshRetry"] })`, `Dataplane "web-2" of mesh "default" not found in the documents`},
		"effective_rules of no policy":             {`provider::kuma::effective_rules(` + dataplaneText + `, { dataplane = "web-1", types = ["MeshRetyr"] })`, `"MeshRetyr" is not a kind of policy`},
		"effective_rules of an invalid document":   {`provider::kuma::effective_rules([` + dataplaneText + `, { type = "MeshTimeout", name = "cart", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = "1d" } }] } }], { dataplane = "web-1", types = ["MeshTimeout"] })`, `Element 1: MeshTimeout "cart" of mesh "default", spec\.to\[0\]\.default\.idleTimeout`},
		"effective_rules in a misspelled mesh":     {`provider::kuma::effective_rules(` + dataplaneText + `, { mesh = "shpo", dataplane = "web-1", types = ["MeshTimeout"] })`, `Dataplane "web-1" of mesh "shpo" not found in the documents\. Mesh "default" has a Dataplane with this name`},
		"policy_impact of a document without mesh": {`provider::kuma::policy_impact("{type: Mesh, name: shop}", [{ type = "Mesh", name = "shop" }, { type = "MeshTimeout", mesh = "shop", name = "old", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = "5s" } }] } }, { type = "MeshTimeout", name = "new", spec = { to = [{ targetRef = { kind = "Mesh" }, default = { idleTimeout = "5s" } }] } }], "shop").summary`, `MeshTimeout "new" does not have the field "mesh", so it is in mesh "default" and does not affect mesh "shop"`},
		"mesh_lint of a misspelled mesh":           {`provider::kuma::mesh_lint(` + dataplaneText + `, "shpo")`, `There is no mesh "shpo" in the documents`},
		"access in a misspelled mesh":              {`provider::kuma::access(` + dataplaneText + `, "shpo")`, `There is no mesh "shpo" in the documents`},
		"policy_impact on a misspelled mesh":       {`provider::kuma::policy_impact(` + dataplaneText + `, ` + dataplaneText + `, "shpo").summary`, `There is no mesh "shpo" in the documents`},
		"effective_rules of a number":              {`provider::kuma::effective_rules(1, { dataplane = "web-1", types = ["MeshTimeout"] })`, `Must be a string with YAML documents`},
	})
}

// TestUpgradeDocuments checks the results of the function for texts, objects, options and
// documents that it cannot rewrite.
func TestUpgradeDocuments(t *testing.T) {
	t.Parallel()
	got := providertest.PlannedOutputs(t, providertest.RequiredProvider+`
locals {
  mesh      = { type = "Mesh", name = "shop", meshServices = { mode = "Exclusive" }, skipCreatingInitialPolicies = ["*"] }
  proxy     = "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, team: a}}]}}"
  policy    = "{type: MeshTimeout, mesh: shop, name: t, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 5s}}]}}"
  removed   = "{type: TrafficPermission, mesh: shop, name: all, sources: [], destinations: []}"
  unknown   = { type = "MeshGlobalRateLimit", mesh = "shop", name = "g", spec = { a = 1 } }
  half      = "{type: MeshTimeout, mesh: shop, name: half, spec: {rules: [{default: {idleTimeout: 5s}}], from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 6s}}]}}"
  upgrade   = provider::kuma::upgrade_documents([local.mesh, local.proxy, local.policy, local.removed, local.unknown, local.half], { zone = "east" })
  one       = [for d in local.upgrade.stage_one : yamldecode(d)]
  two       = [for d in local.upgrade.stage_two : yamldecode(d)]
}
output "one" { value = [for d in local.one : jsonencode(d.spec) if d.type == "MeshTimeout"] }
output "two" { value = [for d in local.two : "${d.type}/${d.name}"] }
output "removed" { value = local.upgrade.removed }
output "unchanged" { value = local.upgrade.unchanged_on_2 }
output "changed" { value = local.upgrade.changed_on_3 }
output "proof" { value = local.upgrade.proof }
output "actions" { value = [for i in local.upgrade.report : "${i.action} ${i.type}/${i.name} ${i.path}" if i.action == "manual" || i.action == "kept"] }
output "initial" { value = length(provider::kuma::upgrade_documents({ type = "Mesh", name = "a" }, { initial_policies = true }).stage_two) }
`)
	want := map[string]any{
		"one": []any{
			`{"rules":[{"default":{"idleTimeout":"5s"}}],"targetRef":{"kind":"Dataplane","labels":{"team":"a"}}}`,
			`{"from":[{"default":{"idleTimeout":"6s"},"targetRef":{"kind":"Mesh"}}],"rules":[{"default":{"idleTimeout":"5s"}}]}`,
		},
		"two":       []any{"Mesh/shop", "Dataplane/web-1", "MeshTimeout/t", "MeshGlobalRateLimit/g", "MeshTimeout/half", "MeshPassthrough/passthrough-all"},
		"removed":   []any{"TrafficPermission/all"},
		"unchanged": true, "changed": []any{},
		"proof":   "Stage one, on Kuma 2.14: No proxy changes.\nStage two, on Kuma 3.0: No proxy changes.\nNot compared: what only 2.14 reads, without which the values before are computed: TrafficPermission \"all\".\n",
		"actions": []any{"manual MeshTimeout/half spec.from", "manual TrafficPermission/all ", "kept MeshGlobalRateLimit/g ", "kept MeshTimeout/half spec"},
		"initial": 6.0,
	}
	testworld.Equal(t, "outputs", want, got)
}

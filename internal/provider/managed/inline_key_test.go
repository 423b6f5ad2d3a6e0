package managed_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// inlineKeys are resources with a private key, and the path of the key.
var inlineKeys = map[string]struct {
	document string
	at       tree.Path
}{
	"MeshExternalService": {
		`{type: MeshExternalService, mesh: shop, name: test, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: a.example, port: 80}], tls: {enabled: true, verification: {clientCert: {inlineString: public}, clientKey: {inlineString: hunter2-hunter2}}}}}`,
		tree.Path{"spec", "tls", "verification", "clientKey", "inlineString"},
	},
	"MeshIdentity": {
		`{type: MeshIdentity, mesh: shop, name: test, spec: {selector: {dataplane: {matchLabels: {}}}, provider: {type: Bundled, bundled: {ca: {certificate: {type: InsecureInline, insecureInline: {value: public}}, privateKey: {type: InsecureInline, insecureInline: {value: hunter2-hunter2}}}}}}}`,
		tree.Path{"spec", "provider", "bundled", "ca", "privateKey", "insecureInline", "value"},
	},
	"MeshGateway": {
		`{type: MeshGateway, mesh: shop, name: test, selectors: [{match: {kuma.io/service: web}}], conf: {listeners: [{port: 443, protocol: HTTPS, hostname: a.example, tls: {mode: TERMINATE, certificates: [{inlineString: hunter2-hunter2}]}}]}}`,
		tree.Path{"conf", "listeners", 0, "tls", "certificates", 0, "inlineString"},
	},
	"Mesh": {
		`{type: Mesh, name: test, skipCreatingInitialPolicies: ['*'], mtls: {skipValidation: true, enabledBackend: ca, backends: [{name: ca, type: provided, conf: {cert: {inlineString: public}, key: {inlineString: hunter2-hunter2}}}]}}`,
		tree.Path{"mtls", "backends", 0, "conf", "key", "inlineString"},
	},
}

const inlineKey = "hunter2-hunter2"

// onInlineKeys runs a test on control planes that store a document with a private key, each
// with a command line whose configuration imports it.
func onInlineKeys(t *testing.T, test func(t *testing.T, c providertest.CLI, manifest bool, stored func() (r kuma.Resource, key any))) {
	t.Helper()
	providertest.NeedCLI(t)
	for i, name := range slices.Sorted(maps.Keys(inlineKeys)) {
		for _, manifest := range []bool{false, true} {
			if !testworld.Nightly() && manifest != (i%2 == 0) {
				continue
			}
			t.Run(fmt.Sprintf("%s, manifest %t", name, manifest), func(t *testing.T) {
				t.Parallel()
				cp := providertest.NewEmbedded(t)
				stored := testworld.Resource(t, inlineKeys[name].document)
				cp.Put(t, testworld.Resource(t, "{type: Mesh, name: shop, skipCreatingInitialPolicies: ['*'], meshServices: {mode: Exclusive}}"), stored)
				address, id := configuration.ResourceType(stored)+".x", configuration.ImportID(stored)
				if manifest {
					address, id = configuration.ManifestType+".x", configuration.ManifestImportID(stored.Key())
				}
				c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.ConfigWith(`policy_checks = "off"`) + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, id)})
				test(t, c, manifest, func() (kuma.Resource, any) {
					now, err := cp.Client.Get(t.Context(), cp.Kind(stored.Type), stored.Mesh, stored.Name)
					testworld.NoError(t, err)
					return now, tree.At(now.Document(), inlineKeys[name].at)
				})
			})
		}
	}
}

// TestInlineKeyOfAnImportedResource checks that an import omits a private key, in every
// output of Terraform, and that updates without the key keep it.
func TestInlineKeyOfAnImportedResource(t *testing.T) {
	t.Parallel()
	onInlineKeys(t, func(t *testing.T, c providertest.CLI, manifest bool, stored func() (kuma.Resource, any)) {
		hidden := func(what, text string) {
			t.Helper()
			if strings.Contains(text, inlineKey) {
				t.Errorf("the key is in the %s:\n%s", what, text)
			}
		}
		out := c.Must(t, "plan", "-generate-config-out=generated.tf", "-out=plan")
		hidden("plan", out)
		hidden("plan as JSON", string(c.Show(t, "plan")))
		generated := filepath.Join(c.Dir, "generated.tf")
		hidden("generated configuration", testworld.Text(t, generated))
		if !strings.Contains(out, "1 to import, 0 to add, 0 to change") {
			t.Errorf("the import changes something:\n%s", out)
		}
		c.Must(t, "apply", "plan")
		hidden("state", testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate")))
		c.PlanIsEmpty(t)

		labels := "labels = { team = \"x\" }\n"
		config := testworld.Text(t, generated)
		if manifest {
			config = regexp.MustCompile(`(?m)^  manifest = \{`).ReplaceAllString(config, "  manifest = {\n    "+labels)
		} else {
			config = regexp.MustCompile(`(?m)^  labels .*\n`).ReplaceAllString(config, "")
			config = regexp.MustCompile(`(?m)^  name `).ReplaceAllString(config, "  "+labels+"  name ")
		}
		providertest.Write(t, generated, config)
		out = c.Must(t, "apply", "-auto-approve")
		if !strings.Contains(out, "0 added, 1 changed, 0 destroyed") {
			t.Errorf("want an update in:\n%s", out)
		}
		if after, key := stored(); key != inlineKey || after.Labels["team"] != "x" {
			t.Errorf("stored after an update without the key: %v", after)
		}
		c.PlanIsEmpty(t)
	})
}

// TestReplacedResourceKeepsInlineKey checks that a replacement does not lose a private key
// that only the control plane has.
func TestReplacedResourceKeepsInlineKey(t *testing.T) {
	t.Parallel()
	onInlineKeys(t, func(t *testing.T, c providertest.CLI, _ bool, stored func() (kuma.Resource, any)) {
		c.Must(t, "plan", "-generate-config-out=generated.tf")
		c.Must(t, "apply", "-auto-approve")
		isKept := func(what string) {
			t.Helper()
			if after, key := stored(); key != inlineKey {
				t.Errorf("stored after %s: %v", what, after)
			}
		}

		address := strings.TrimSpace(c.Must(t, "state", "list"))
		c.Must(t, "apply", "-auto-approve", "-replace="+address)
		isKept("-replace")
		c.Must(t, "taint", address)
		c.Must(t, "apply", "-auto-approve")
		isKept("taint")
		c.PlanIsEmpty(t)

		generated := filepath.Join(c.Dir, "generated.tf")
		config := testworld.Text(t, generated)
		late := "resource \"terraform_data\" \"late\" {\n  input = \"renamed\"\n}\n"
		for _, name := range []string{`"renamed"`, "terraform_data.late.output"} {
			providertest.Write(t, generated, late+regexp.MustCompile(`(?m)^( +name += )"test"`).ReplaceAllString(config, "${1}"+name))
			c.Refused(t, "(Missing sensitive value .* would be lost|value is missing|value: value is required)", "apply", "-auto-approve")
			isKept("a change of the name to " + name)
		}
	})
}

// TestInlineKeyOfAnOlderKind checks the same for a kind that only the control plane
// describes.
func TestInlineKeyOfAnOlderKind(t *testing.T) {
	t.Parallel()
	o := &providertest.OtherRelease{Version: "2.14.3"}
	provider := o.Start(t)
	stored := func() any {
		o.Mutex.Lock()
		defer o.Mutex.Unlock()
		return tree.At(o.Legacy["/meshes/default/external-services/httpbin"], tree.Path{"networking", "tls", "clientKey", "inlineString"})
	}
	const document = `{ type = "ExternalService", mesh = "default", name = "httpbin", networking = { address = "httpbin.org:443", tls = { enabled = true, clientKey = { inlineString = "` + inlineKey + `" } } }, tags = { "kuma.io/service" = "httpbin" } }`
	first := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + provider + "resource \"kuma_manifest\" \"x\" {\n  manifest = sensitive(" + document + ")\n}\n"})
	first.Must(t, "apply", "-auto-approve")
	first.PlanIsEmpty(t)

	output := "output \"x\" {\n  value = provider::kuma::encode_resources([" + document + "])\n}\n"
	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + provider + output + "import {\n  to = kuma_manifest.x\n  id = \"ExternalService/default/httpbin\"\n}\n"})
	hidden := func(what, text string) {
		t.Helper()
		if strings.Contains(text, inlineKey) {
			t.Errorf("the key is in the %s:\n%s", what, text)
		}
	}
	hidden("plan", c.Must(t, "plan", "-generate-config-out=generated.tf", "-out=plan"))
	generated := filepath.Join(c.Dir, "generated.tf")
	config := testworld.Text(t, generated)
	hidden("generated configuration", config)
	c.Must(t, "apply", "plan")
	state := testworld.Text(t, filepath.Join(c.Dir, "terraform.tfstate"))
	hidden("state", state)
	for _, private := range regexp.MustCompile(`"private": "([^"]*)"`).FindAllStringSubmatch(state, -1) {
		text, err := base64.StdEncoding.DecodeString(private[1])
		testworld.NoError(t, err)
		for _, part := range regexp.MustCompile(`"stored":"([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
			text, err := base64.StdEncoding.DecodeString(part[1])
			testworld.NoError(t, err)
			hidden("private state", string(text))
		}
	}
	c.PlanIsEmpty(t)

	providertest.Write(t, generated, strings.Replace(config, "httpbin.org:443", "httpbin.org:8443", 1))
	c.Must(t, "apply", "-auto-approve")
	c.Must(t, "apply", "-auto-approve", "-replace=kuma_manifest.x")
	c.PlanIsEmpty(t)
	if got := stored(); got != inlineKey {
		t.Errorf("stored after changes without the key: %v", got)
	}
	providertest.Write(t, generated, strings.Replace(config, `"httpbin"`, `"renamed"`, 1))
	c.Refused(t, "Missing sensitive value .* would be lost", "apply", "-auto-approve")
	if got := stored(); got != inlineKey {
		t.Errorf("stored after a change of the name: %v", got)
	}
}

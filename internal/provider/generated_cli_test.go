package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// TestGeneratedConfigurationLosesContent imports all accepted documents of all
// kinds without a configuration, as the resource of their kind and as a manifest,
// and plans what Terraform generates. It lists what Terraform cannot generate.
func TestGeneratedConfigurationLosesContent(t *testing.T) {
	t.Parallel()
	needCLI(t)
	for form, test := range map[string]struct{ failed, changed map[string]string }{
		"typed": {
			failed: map[string]string{ // Terraform writes null for what is sensitive
				`MeshIdentity "identity-env" of mesh "default"`: "value is missing",
			},
			changed: map[string]string{
				// See above; there are warnings about these.
				`MeshExternalService "payments-api" of mesh "default"`: "[update]",
				`MeshGateway "edge" of mesh "default"`:                 "[update]",
				// Terraform writes null for text that is empty.
				`MeshRetry "mr-all" of mesh "default"`: "[update]",
			},
		},
		"manifest": {failed: map[string]string{}, changed: map[string]string{}},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			cp := newTestControlPlane(t)
			if cp.dir == "" {
				t.Skip("needs an empty control plane: the documents would replace resources of a real one")
			}
			_, documents := catalogConfiguration(t)
			keys, imports := cp.imports(t, documents, form == "manifest")
			config := requiredProvider + strings.Replace(cp.config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)
			c := newCLI(t, map[string]string{})

			out, _ := c.generate(t, config, imports)
			got := map[string]string{}
			for _, m := range failedResource.FindAllStringSubmatch(out, -1) {
				got[keys[m[2]]] = m[1]
				delete(imports, m[2])
			}
			if diff := cmp.Diff(test.failed, got); diff != "" {
				t.Errorf("what is wrong with the generated configuration (-want +got):\n%s\n%s", diff, out)
			}

			out, code := c.generate(t, config, imports)
			if code != 0 {
				t.Fatalf("the plan of the others ends with %d:\n%s", code, out)
			}
			for _, want := range []string{"Warning: inline will be deleted", "Warning: inline_string will be deleted"} {
				if strings.Contains(out, want) != (form == "typed") {
					t.Errorf("whether there is a %q is wrong in\n%s", want, out)
				}
			}
			got = map[string]string{}
			for address, actions := range c.changes(t) {
				got[keys[address]] = actions
			}
			if diff := cmp.Diff(test.changed, got); diff != "" {
				t.Errorf("what the generated configuration changes (-want +got):\n%s", diff)
			}
			t.Logf("%d documents", len(documents))
		})
	}
}

var failedResource = regexp.MustCompile(`Error: (.*)\n\n  with (kuma_\w+\.r\d+),`)

// imports stores the documents, and returns import blocks by address, and what
// each is called in a message.
func (cp testControlPlane) imports(t *testing.T, documents map[string]kuma.Resource, manifests bool) (keys, imports map[string]string) {
	t.Helper()
	put := func(r kuma.Resource) {
		k, _ := kinds.Find(r.Type)
		if _, _, err := cp.client.Put(context.Background(), k, r); err != nil {
			t.Fatal(err)
		}
	}
	keys, imports = map[string]string{}, map[string]string{}
	for address, r := range documents {
		id := r.Name
		if r.Mesh != "" {
			put(kuma.Resource{Type: "Mesh", Name: r.Mesh, Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}})
			id = r.Mesh + "/" + r.Name
		}
		put(r)
		if manifests {
			_, label, _ := strings.Cut(address, ".")
			address, id = "kuma_manifest."+label, r.Type+"/"+id
		}
		imports[address] = fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, id)
		keys[address] = r.Key().String()
	}
	return keys, imports
}

// generate plans imports of what has no configuration.
func (c cli) generate(t *testing.T, config string, imports map[string]string) (string, int) {
	t.Helper()
	for block := range maps.Values(imports) {
		config += block
	}
	write(t, filepath.Join(c.dir, "main.tf"), config)
	_ = os.Remove(filepath.Join(c.dir, "generated.tf"))
	return c.run(t, "plan", "-generate-config-out=generated.tf", "-out=plan")
}

// changes returns what the plan does to resources, except for those that it
// leaves as they are.
func (c cli) changes(t *testing.T) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.terraform, "show", "-json", "plan")
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var plan struct {
		Changes []struct {
			Address string
			Change  struct{ Actions []string }
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		t.Fatal(err)
	}
	changes := map[string]string{}
	for _, change := range plan.Changes {
		if actions := fmt.Sprint(change.Change.Actions); actions != "[no-op]" {
			changes[change.Address] = actions
		}
	}
	return changes
}

package provider_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestTakeOverPlansNoChange writes the configuration of all accepted documents
// of all kinds, and plans it.
func TestTakeOverPlansNoChange(t *testing.T) {
	t.Parallel()
	needCLI(t)
	s := newStore(t)
	_, documents := catalogConfiguration(t)
	s.imports(t, documents, false)
	var stored []kuma.Resource
	for _, k := range kinds.All() {
		all, err := s.client.List(context.Background(), k, "")
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, all...)
	}
	text, err := configuration.File(t.Context(), stored)
	if err != nil {
		t.Fatal(err)
	}
	config := requiredProvider + strings.Replace(s.config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)
	c := newCLI(t, map[string]string{"main.tf": config, "mesh.tf": text})
	write(t, filepath.Join(c.dir, "terraform.tfvars"), sensitiveValues(t, text, stored))
	out, code := c.run(t, "plan", "-input=false", "-out=plan")
	want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", len(stored))
	if code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit code %d, want %q\n%s", code, want, out)
	}
	write(t, filepath.Join(c.dir, "out.txt"), out)
	_ = c.must(t, "fmt", "-check", "mesh.tf")
}

// sensitiveValues gives the variables without a default what is stored.
func sensitiveValues(t *testing.T, text string, stored []kuma.Resource) string {
	t.Helper()
	values := ""
	for _, r := range stored {
		k, _ := kinds.Find(r.Type)
		if len(k.SecretFields()) > 0 {
			continue
		}
		for _, path := range k.SensitiveMembers(r.Document()) {
			description := fmt.Sprintf("Value of %s in %s.", path, r.Key())
			before, _, ok := strings.Cut(text, fmt.Sprintf("\n  description = %q", description))
			if !ok {
				t.Fatalf("no variable is the %s", description)
			}
			values += fmt.Sprintf("%s = %q\n", strings.Split(before[strings.LastIndex(before, "variable "):], "\"")[1], tree.At(r.Document(), path))
		}
	}
	return values
}

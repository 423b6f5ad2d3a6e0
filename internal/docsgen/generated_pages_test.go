package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestGeneratedPages checks that the lists in guides and in the pages of
// modules are current.
func TestGeneratedPages(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	pages, err := generatedPages(root)
	testworld.NoError(t, err)
	for file, want := range pages {
		got, err := fs.ReadFile(root, file)
		testworld.NoError(t, err)
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not current, run make docs (-want +got):\n%s", file, diff)
		}
	}
}

// TestModuleReadme checks that the page of a module lists its variables, with
// type, default and validations, and its outputs.
func TestModuleReadme(t *testing.T) {
	t.Parallel()
	const page = "# Web\n\n<!-- begin inputs and outputs -->\nstale\n<!-- end inputs and outputs -->\n\nMIT\n"
	root := fstest.MapFS{
		"m/README.md": {Data: []byte(page)},
		"m/variables.tf": {Data: []byte(`
variable "name" {
  description = "Name."
  type        = string

  validation {
    condition     = var.name != ""
    error_message = "The name must not be \"\"."
  }
}

variable "limits" {
  description = "Limits."
  type = object({
    requests = optional(number, 10) # at a time
  })
  default = {}
}
`)},
		"m/outputs.tf": {Data: []byte("output \"kri\" {\n  description = \"Identifier.\"\n  value = 1\n}\n")},
	}
	got, err := moduleReadme(root, "m/README.md")
	testworld.NoError(t, err)
	want := "# Web\n\n<!-- begin inputs and outputs -->\n\n## Inputs\n\n### `name` (required)\n\nName.\n\n```hcl\nstring\n```\n\n- The name must not be \"\".\n" +
		"\n### `limits` (optional)\n\nLimits.\n\n```hcl\nobject({\n  requests = optional(number, 10) # at a time\n})\n```\n\nDefault: `{}`.\n" +
		"\n## Outputs\n\n| Name | Description |\n| --- | --- |\n| `kri` | Identifier. |\n\n<!-- end inputs and outputs -->\n\nMIT\n"
	testworld.Equal(t, "page", want, string(got))
}

// TestModuleReadmeNeedsDescriptions checks that a variable without a
// description is an error.
func TestModuleReadmeNeedsDescriptions(t *testing.T) {
	t.Parallel()
	root := fstest.MapFS{
		"m/README.md":    {Data: []byte("<!-- begin inputs and outputs -->\n<!-- end inputs and outputs -->\n")},
		"m/variables.tf": {Data: []byte("variable \"name\" {\n  type = string\n}\n")},
		"m/outputs.tf":   {},
	}
	if page, err := moduleReadme(root, "m/README.md"); err == nil || !strings.Contains(err.Error(), "variable has no description") {
		t.Errorf("error %v, page:\n%s", err, page)
	}
}

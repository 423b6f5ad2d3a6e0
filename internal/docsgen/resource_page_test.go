package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestPagesOfKinds checks that the page of every kind says when to use it,
// where and since when, and has a heading and a sentence before each further
// example.
func TestPagesOfKinds(t *testing.T) {
	t.Parallel()
	schema, err := readSchema(context.Background())
	testworld.NoError(t, err)
	templates, err := pageTemplates(os.DirFS("../.."), "resources", schema.ResourceSchemas)
	testworld.NoError(t, err)
	if want := len(kinds.All()) + 1; len(templates) != want { // and kuma_manifest
		t.Errorf("%d templates, want %d", len(templates), want)
	}
	// Of at least two words, so that the heading says what the example shows.
	further := regexp.MustCompile("(?m)\n### [^\n ]+ [^\n]+\n\n[A-Z][^#]+\\.\n\n```terraform\n")
	for file, template := range templates {
		if file == "resources/manifest.md.tmpl" {
			continue
		}
		for _, part := range []string{"\n\nUse ", "\n- **Releases:** Kuma ", "\n- **Control planes:** ", "\n- **Kuma 3.0:** ", "](https://kuma.io/docs/latest/"} {
			if !strings.Contains(string(template), part) {
				t.Errorf("%s does not contain %q", file, part)
			}
		}
		if !further.Match(template) {
			t.Errorf("%s has no further example with a heading and a sentence", file)
		}
	}
}

// TestFurtherExamples checks that the comment at the beginning of an example
// introduces it.
func TestFurtherExamples(t *testing.T) {
	t.Parallel()
	root := fstest.MapFS{
		"e/resource.tf":            {Data: []byte("a = 1\n")},
		"e/import-by-identity.tf":  {Data: []byte("b = 1\n")},
		"e/resource-own-ca.tf":     {Data: []byte("# First line,\n# second line.\n\na = \"{{ x }}\" # b\n# c\n")},
		"e/data-source-planned.tf": {Data: []byte("# Planned.\nd = 1\n")},
		"e/ephemeral-resource.tf":  {Data: []byte("e = 1\n")},

		"e/ephemeral-resource-new-mesh.tf": {Data: []byte("# New.\nf = 1\n")},
	}
	got, err := furtherExamples(root, "e")
	testworld.NoError(t, err)
	want := []example{
		{Title: "Planned", Text: "Planned.", Code: "d = 1"},
		{Title: "New mesh", Text: "New.", Code: "f = 1"},
		{Title: "Own CA", Text: "First line,\nsecond line.", Code: `a = "{{ "{{" }} x }}" # b` + "\n# c"},
	}
	testworld.Equal(t, "examples", want, got)
	root["e/resource-bare.tf"] = &fstest.MapFile{Data: []byte("a = 1\n")}
	if _, err := furtherExamples(root, "e"); err == nil || !strings.Contains(err.Error(), "resource-bare.tf does not begin with a comment") {
		t.Errorf("error %v for an example without a comment", err)
	}
}

// consecutiveExamples matches two examples without a sentence between them.
var consecutiveExamples = regexp.MustCompile("(?m)^```\n\n```")

// listBrokenByComment matches a numbered list that a comment interrupts: after it, the
// numbers start again.
var listBrokenByComment = regexp.MustCompile(`(?m)^1\. .*\n<!--`)

// titleOfOneWord matches the heading of an example that is only one word.
var titleOfOneWord = regexp.MustCompile("(?m)^### [^\\s`]+\n\n[^-]")

// TestExamplesAreIntroduced checks that on the pages that are derived from the schema,
// a sentence separates two examples, and numbered lists are not interrupted.
func TestExamplesAreIntroduced(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*-*/*.md")
	functions, err2 := filepath.Glob("../../docs/functions/*.md")
	if err := errors.Join(err, err2); err != nil || len(pages) < 70 || len(functions) < 10 {
		t.Fatalf("%d pages and %d functions, error %v", len(pages), len(functions), err)
	}
	for _, page := range append(pages, functions...) {
		text, err := os.ReadFile(page)
		testworld.NoError(t, err)
		if title := titleOfOneWord.Find(text); title != nil {
			t.Errorf("%s has the heading %q, which does not say what the example shows", page, title)
		}
		if consecutiveExamples.Match(text) {
			t.Errorf("%s has consecutive examples", page)
		}
		if listBrokenByComment.Match(text) {
			t.Errorf("%s has a comment inside a numbered list", page)
		}
	}
}

// TestDocsReadAsWritten checks that no page has phrases that show that it is
// generated.
func TestDocsReadAsWritten(t *testing.T) {
	t.Parallel()
	careless := regexp.MustCompile(`Optional\) Required|\) Required\. |\. Of [a-z_]+(, [a-z_]+)*( or [a-z_]+)?\.`)
	pages := 0
	err := fs.WalkDir(os.DirFS("../../docs"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS("../../docs"), path)
		for _, found := range careless.FindAllString(string(text), -1) {
			t.Errorf("%s: %q", path, found)
		}
		pages++
		return err
	})
	if err != nil || pages < 100 {
		t.Errorf("%d pages, error %v", pages, err)
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	guide := func(subcategory, text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\npage_title: \"Wait\"\nsubcategory: \"" + subcategory + "\"\n---\n" + text)}
	}
	got, err := tasks(fstest.MapFS{
		"templates/guides/wait.md.tmpl":  guide("Tasks", "[a](../resources/mesh_timeout.md), [again](../resources/mesh_timeout.md), [b](preview.md)"),
		"templates/guides/other.md.tmpl": guide("", "[a](../resources/mesh_timeout.md)"),
	})
	want := map[string][]string{"resources/mesh_timeout.md": {"[Wait](../guides/wait.md)"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestPagesOmitWhatCannotBeSet checks that the pages do not list the fields of a reference
// that none of its kinds can set.
func TestPagesOmitWhatCannotBeSet(t *testing.T) {
	t.Parallel()
	schema, err := readSchema(context.Background())
	testworld.NoError(t, err)
	spec := schema.ResourceSchemas["kuma_mesh_timeout"].Block.NestedBlocks["spec"].Block
	for section, want := range map[string][]string{
		"from": {"kind", "proxy_types"},
		"to":   {"kind", "labels", "name", "namespace", "proxy_types", "section_name"},
	} {
		ref := spec.NestedBlocks[section].Block.NestedBlocks["target_ref"].Block
		if got := slices.Sorted(maps.Keys(ref.Attributes)); !slices.Equal(got, want) {
			t.Errorf("target_ref of %s has %q, want %q", section, got, want)
		}
	}
	pages, err := filepath.Glob("../../docs/*/*.md")
	testworld.NoError(t, err)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		testworld.NoError(t, err)
		if strings.Contains(string(text), def.NotUsedHere) {
			t.Errorf("%s contains %q", page, def.NotUsedHere)
		}
	}
}

package main

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

const (
	lintGuideFile = "docs/guides/lint.md"
	lintExamples  = "internal/analysis/lint/testdata" // one directory for each code, which the tests use too
)

// lintGuide returns the guide to the linter with a new table and a new list of codes. The
// text before the table, and the section after it, are those of the file.
func lintGuide(root fs.FS, file string) ([]byte, error) {
	guide, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	const table, section = "| Code | Severity | Finding | How to fix it |\n", "\n## Read and ignore findings\n"
	introduction, rest, hasTable := strings.Cut(string(guide), table)
	_, rest, hasSection := strings.Cut(rest, section)
	if !hasTable || !hasSection {
		return nil, fmt.Errorf("%s has no table of codes, or no section %q", file, section)
	}
	about, _, _ := strings.Cut(rest, "\n## ")
	var b strings.Builder
	b.WriteString(introduction + table + "| --- | --- | --- | --- |\n")
	for _, c := range lint.Codes() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", c.Code, strings.ToLower(c.Code), c.Severity, c.Title, c.Fix)
	}
	b.WriteString(section + about)
	for _, c := range lint.Codes() {
		if err := describeCode(&b, root, c); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// describeCode writes the section about a code: documents with their findings, and
// documents without findings.
func describeCode(b *strings.Builder, root fs.FS, c lint.Code) error {
	finding, err := fs.ReadFile(root, path.Join(lintExamples, c.Code, "finding.yaml"))
	if err != nil {
		return err
	}
	clean, err := fs.ReadFile(root, path.Join(lintExamples, c.Code, "clean.yaml"))
	if err != nil {
		return err
	}
	resources, err := readResources(finding)
	if err != nil {
		return fmt.Errorf("example of %s: %w", c.Code, err)
	}
	fmt.Fprintf(b, "\n## %s\n\n%s: %s\n\n```yaml\n%s```\n\n", c.Code, capital(string(c.Severity)), c.Doc, finding)
	for _, f := range lint.Mesh(rules.NewSnapshotFor(c.Release(), resources), kuma.DefaultMesh) {
		if f.Code == c.Code {
			fmt.Fprintf(b, "- %s `%s`, %s: %s %s\n", f.Resource.Type, f.Resource.Name, placeOf(f), escaped(f.Message), escaped(f.Suggestion))
		}
	}
	fmt.Fprintf(b, "\nThese documents have no findings:\n\n```yaml\n%s```\n", clean)
	return nil
}

// readResources reads documents as a control plane would store them, and adds a mesh
// with default settings, which they can override.
func readResources(text []byte) ([]kuma.Resource, error) {
	reader := document.Reader{Accept: input.KindNames(kinds.Older()), Check: document.Values}
	found, err := reader.Text(text)
	if err == nil {
		err = found.Err()
	}
	resources := []kuma.Resource{{Type: kuma.KindMesh, Name: kuma.DefaultMesh, Body: map[string]any{}}}
	for _, d := range found.Documents {
		resources = append(resources, d.Stored())
	}
	return resources, err
}

// placeOf describes the path of a finding.
func placeOf(f lint.Finding) string {
	if len(f.Path) == 0 {
		return "whole document"
	}
	return "`" + f.Path.String() + "`"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// escaped escapes characters that Markdown treats as markup.
func escaped(s string) string { return strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`).Replace(s) }

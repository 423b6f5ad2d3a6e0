package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
)

const (
	guidesDir     = "docs/guides"
	lintGuideFile = guidesDir + "/lint.md"
	lintExamples  = "internal/analysis/lint/testdata" // one directory for each code, which the tests use too
)

// lintGuide returns the guide to the linter with a new table of all codes.
func lintGuide(root fs.FS, file string) ([]byte, error) {
	guide, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, g := range lint.Groups() {
		_, subject, _ := strings.Cut(g.Title, ": ")
		fmt.Fprintf(&b, "\n## %s\n\n| Code | Severity | Finding |\n| --- | --- | --- |\n", capital(subject))
		for _, c := range g.Codes {
			fmt.Fprintf(&b, "| [`%s`](%s.md#%s) | %s | %s |\n", c.Code, g.Page, c.Code, c.Severity, c.Title)
		}
	}
	return replaceSection(guide, file, "codes", b.String()+"\n")
}

// lintPage returns the page of a group of codes.
func lintPage(g lint.Group) func(root fs.FS, file string) ([]byte, error) {
	return func(root fs.FS, _ string) ([]byte, error) {
		var b strings.Builder
		names := make([]string, len(g.Codes))
		for i, c := range g.Codes {
			names[i] = c.Code
		}
		writeHead(&b, g.Title, strings.Join(names, ", "), "[What the linter finds](lint.md) lists all codes and explains the severities.")
		b.WriteString("| Code | What to do |\n| --- | --- |\n")
		for _, c := range g.Codes {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.Code, c.Code, c.Fix)
		}
		for _, c := range g.Codes {
			fmt.Fprintf(&b, "\n## %s\n\n%s: %s\n", c.Code, capital(string(c.Severity)), c.Doc)
			example, err := fs.ReadFile(root, path.Join(lintExamples, c.Code, "example.diff"))
			switch {
			case err == nil:
				fmt.Fprintf(&b, "\n```diff\n%s```\n", example)
			case !errors.Is(err, fs.ErrNotExist):
				return nil, err
			}
		}
		return []byte(b.String()), nil
	}
}

// writeHead writes the front matter of a page about findings, its title and its first paragraph.
func writeHead(b *strings.Builder, title, codes, introduction string) {
	fmt.Fprintf(b, "---\npage_title: %q\nsubcategory: \"Findings\"\ndescription: |-\n  %s\n---\n\n# %s\n\n%s\n\n", title, codes, title, introduction)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// escaped escapes characters that Markdown treats as markup.
func escaped(s string) string { return strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`).Replace(s) }

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
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
		for _, c := range g.Codes() {
			fmt.Fprintf(&b, "| [`%s`](%s.md#%s) | %s | %s |\n", c.Code, g.Page, c.Code, c.Severity, c.Title)
		}
	}
	return replaceSection(guide, file, "codes", b.String()+"\n")
}

// lintPage returns the page of a group of codes.
func lintPage(g lint.Group) func(root fs.FS, file string) ([]byte, error) {
	return func(root fs.FS, _ string) ([]byte, error) {
		var b strings.Builder
		names := phrase.Each(g.Codes(), func(c lint.Code) string { return c.Code })
		writeHead(&b, g.Title, strings.Join(names, ", "), "[What the linter finds](lint.md) lists all codes and explains the severities.")
		b.WriteString("| Code | What to do |\n| --- | --- |\n")
		for _, c := range g.Codes() {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.Code, c.Code, c.Fix)
		}
		for _, c := range g.Codes() {
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
	fmt.Fprintf(b, "---\npage_title: %q\nsubcategory: \"Findings\"\ndescription: |-\n  %s\n---\n\n# %s\n\n%s\n\n", title, codes, title,
		introduction)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// escaped escapes characters that Markdown treats as markup.
func escaped(s string) string { return strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`).Replace(s) }

const kuma3GuideFile = guidesDir + "/kuma-3-findings.md"

// kuma3Guide returns the page of what an upgrade to Kuma 3.0 finds, with a new table of codes.
func kuma3Guide(root fs.FS, file string) ([]byte, error) {
	guide, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("\n| Effect | Codes |\n| --- | --- |\n")
	for _, g := range lint.Kuma3Groups() {
		for i, c := range g.Conditions {
			if i == 0 || c.Effect != g.Conditions[i-1].Effect {
				if i > 0 {
					b.WriteString(" |\n")
				}
				heading := effectHeadings[c.Effect]
				fmt.Fprintf(&b, "| [%s](%s.md#%s) |", heading, g.Page, strings.ReplaceAll(strings.ToLower(heading), " ", "-"))
			}
			fmt.Fprintf(&b, " [%s](%s.md#%s)", strings.TrimPrefix(c.ID, "K3-"), g.Page, strings.ToLower(c.ID))
		}
		b.WriteString(" |\n")
	}
	return replaceSection(guide, file, "codes", b.String()+"\n")
}

// kuma3Page returns the page of a group of conditions, described as in their findings.
func kuma3Page(g lint.Kuma3Group) func(fs.FS, string) ([]byte, error) {
	return func(fs.FS, string) ([]byte, error) {
		var b strings.Builder
		_, subject, _ := strings.Cut(g.Title, ": ")
		writeHead(&b, g.Title, "Codes of the upgrade to Kuma 3.0: "+subject+".",
			"[What the upgrade to Kuma 3.0 finds](kuma-3-findings.md) lists all codes and explains **Written**, **Stored** and *measured*.")
		for i, c := range g.Conditions {
			if i == 0 || c.Effect != g.Conditions[i-1].Effect {
				fmt.Fprintf(&b, "## %s\n\n", effectHeadings[c.Effect])
			}
			fmt.Fprintf(&b, "### %s\n\n%s\n\n", c.ID, escaped(c.Doc))
			if c.Outcome() != kuma3.Accepted {
				fmt.Fprintf(&b, "- **Written:** %s%s\n", outcomes[c.Outcome()], measured(c.MeasuredWrite))
			}
			fmt.Fprintf(&b, "- **Stored:** %s%s\n", escaped(c.Stored), measured(c.MeasuredStored))
			fmt.Fprintf(&b, "- **Do:** %s%s\n\n", escaped(c.Suggestion()), when(c))
		}
		return []byte(strings.TrimSuffix(b.String(), "\n")), nil
	}
}

// measured marks an outcome that was measured.
func measured(was bool) string {
	if was {
		return " (measured)"
	}
	return ""
}

// when says when the change can be made, if not at any time before the upgrade.
func when(c kuma3.Condition) string {
	text := ""
	if c.Partly {
		text = " Part of this must wait for the upgrade."
	}
	if c.Since != "" {
		text += fmt.Sprintf(" This requires Kuma %s or later.", c.Since)
	}
	return text
}

var (
	effectHeadings = map[kuma3.Effect]string{
		kuma3.Outage: "Traffic fails", kuma3.Security: "Weaker security", kuma3.Widens: "More proxies than before",
		kuma3.Changes: "Settings no longer apply", kuma3.Rejects: "Only writes fail", kuma3.Cosmetic: "Nothing changes",
	}
	outcomes = map[kuma3.Outcome]string{
		kuma3.AsDeclared: "accepted, or rejected, depending on the kind", kuma3.Accepted: "accepted",
		kuma3.Dropped:  "silently dropped",
		kuma3.Rejected: "rejected", kuma3.NotFound: "rejected with 404",
	}
)

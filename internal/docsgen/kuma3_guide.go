package main

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
)

const kuma3GuideFile = "templates/guides/kuma-3.md"

// kuma3Guide returns the guide to Kuma 3.0 with a new list of conditions, described as
// in their findings.
func kuma3Guide(root fs.FS, file string) ([]byte, error) {
	guide, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	return replaceSection(guide, file, "conditions", conditionList(lint.Kuma3Conditions()))
}

// conditionList returns conditions as Markdown lists.
func conditionList(conditions []kuma3.Condition) string {
	var b strings.Builder
	b.WriteString("\n")
	last := ""
	for _, c := range conditions {
		heading := dangerHeadings[c.Danger]
		if c.Danger == kuma3.NoDanger {
			heading = effectHeadings[c.Effect]
		}
		if heading != last {
			fmt.Fprintf(&b, "### %s\n\n", heading)
			last = heading
		}
		fmt.Fprintf(&b, "- **`%s`** %s%s\n\n  *Instead:* %s%s\n\n", c.ID, escaped(c.Doc), unannouncedNotes[c.Unannounced], escaped(c.Suggestion()), beforeNotes[c.Preparation])
	}
	return b.String()
}

var (
	dangerHeadings   = map[kuma3.Danger]string{kuma3.Widens: "Policies that apply to more proxies", kuma3.Security: "Weaker security"}
	effectHeadings   = map[kuma3.Effect]string{kuma3.Breaks: "What breaks", kuma3.Changes: "What changes", kuma3.Cosmetic: "Cosmetic changes"}
	unannouncedNotes = map[bool]string{true: " (Not in the upgrade notes.)"}
	beforeNotes      = map[kuma3.Preparation]string{kuma3.Partly: " Part of this must wait for the upgrade.", kuma3.Nothing: " This cannot be done before the upgrade."}
)

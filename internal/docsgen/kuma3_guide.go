package main

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
)

const kuma3GuideFile = "templates/guides/kuma-3-findings.md"

// kuma3Guide returns the page of what an upgrade to Kuma 3.0 finds, with a new list of
// conditions, described as in their findings.
func kuma3Guide(root fs.FS, file string) ([]byte, error) {
	guide, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	return replaceSection(guide, file, "conditions", conditionList(kuma3.Conditions()))
}

// conditionList returns conditions as Markdown lists, by effect.
func conditionList(conditions []kuma3.Condition) string {
	var b strings.Builder
	b.WriteString("\n")
	last := ""
	for _, c := range conditions {
		if heading := effectHeadings[c.Effect]; heading != last {
			fmt.Fprintf(&b, "## %s\n\n", heading)
			last = heading
		}
		fmt.Fprintf(&b, "- **`%s`** %s\n", c.ID, escaped(c.Doc))
		fmt.Fprintf(&b, "  - *Written to 3.0:* %s%s\n", outcomes[c.Outcome()], measured(c.MeasuredWrite))
		fmt.Fprintf(&b, "  - *Stored by 2.14:* %s%s\n", escaped(c.Stored), measured(c.MeasuredStored))
		fmt.Fprintf(&b, "  - *What to do:* %s%s\n", escaped(c.Suggestion()), when(c))
	}
	b.WriteString("\n")
	return b.String()
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
	text := beforeNotes[c.Preparation]
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
		kuma3.AsDeclared: "accepted, or rejected, depending on the kind", kuma3.Accepted: "accepted", kuma3.Dropped: "accepted, and silently dropped",
		kuma3.Rejected: "rejected", kuma3.NotFound: "rejected with 404",
	}
	beforeNotes = map[kuma3.Preparation]string{kuma3.Partly: " Part of this must wait for the upgrade.", kuma3.Nothing: " This must wait for the upgrade."}
)

package rollout

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// longestValue is the length of a value in a summary.
const longestValue = 80

// ChangeSummary describes what shadow policies change in the configuration of a proxy, by
// resource.
func ChangeSummary(dataplane string, changes []EnvoyChange) string {
	if len(changes) == 0 {
		return fmt.Sprintf("No shadow policy changes the configuration of %s.\n", dataplane)
	}
	const most = 20
	var b strings.Builder
	fmt.Fprintf(&b, "Shadow policies change %s in the configuration of %s:\n", phrase.Count(len(changes), "value", "values"), dataplane)
	last := ""
	for i, c := range changes {
		if i == most {
			fmt.Fprintf(&b, "%s\n", phrase.More(len(changes)-most, ""))
			break
		}
		if resource := c.Type + " " + c.Name; resource != last {
			fmt.Fprintf(&b, "  %s\n", resource)
			last = resource
		}
		fmt.Fprintf(&b, "    %s: %s -> %s\n", c.Path, value(c.Before), value(c.After))
	}
	return b.String()
}

func value(v any) string {
	if v == nil {
		return "(none)"
	}
	return phrase.Value(v, longestValue)
}

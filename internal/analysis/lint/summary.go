package lint

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Count returns the number of findings of each severity, of those without any as
// well.
func Count(findings []Finding) map[Severity]int {
	counts := map[Severity]int{Error: 0, Warning: 0, Info: 0}
	for _, f := range findings {
		counts[f.Severity]++
	}
	return counts
}

// Summary writes findings for people: a line that counts them, and for each what
// was found where, and what to do. What is found in many places is said once.
func Summary(meshName string, findings []Finding) string {
	if len(findings) == 0 {
		return fmt.Sprintf("Mesh %q has no findings.", meshName)
	}
	counts := Count(findings)
	var parts []string
	for _, p := range []struct {
		n            int
		one, several string
	}{
		{counts[Error], "error", "errors"},
		{counts[Warning], "warning", "warnings"},
		{counts[Info], "remark", "remarks"},
	} {
		if p.n > 0 {
			parts = append(parts, phrase.Count(p.n, p.one, p.several))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Mesh %q has %s.\n", meshName, phrase.And(parts...))
	for len(findings) > 0 {
		same := 1
		for same < len(findings) && saySame(findings[0], findings[same]) {
			same++
		}
		writeGroup(&b, findings[:same])
		findings = findings[same:]
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// saySame reports whether two findings differ in their place only.
func saySame(a, b Finding) bool {
	return a.Code == b.Code && a.Severity == b.Severity && a.Message == b.Message && a.Suggestion == b.Suggestion
}

// writeGroup writes what several findings say, after the first few places where
// they were found.
func writeGroup(b *strings.Builder, findings []Finding) {
	const few = 10
	f := findings[0]
	fmt.Fprintf(b, "\n%s %s: ", f.Severity, f.Code)
	for i, f := range findings {
		if i == few {
			b.WriteString("\n  " + phrase.More(len(findings)-few, ""))
			break
		}
		if i > 0 {
			b.WriteString("\n  and ")
		}
		b.WriteString(f.Resource.Local())
		if len(f.Path) > 0 {
			b.WriteString(", " + f.Path.String())
		}
	}
	fmt.Fprintf(b, "\n  %s\n  %s\n", f.Message, f.Suggestion)
}

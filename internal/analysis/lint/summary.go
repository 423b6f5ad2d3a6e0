package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Count returns the number of findings of each severity, including zeros.
func Count(findings []Finding) map[Severity]int {
	counts := map[Severity]int{Error: 0, Warning: 0, Info: 0}
	for _, f := range findings {
		counts[f.Severity]++
	}
	return counts
}

// CountCodes returns the number of findings of each code, without zeros.
func CountCodes(findings []Finding) map[string]int {
	counts := map[string]int{}
	for _, f := range findings {
		counts[f.Code]++
	}
	return counts
}

// perCode is the maximum number of messages of a code in a summary.
const perCode = 10

// Summary returns findings as text: a line with their number and, for each code, the
// resources and paths, messages and suggestions. If a code has many messages, it
// contains those that affect the most proxies. It says if the mesh has no Dataplanes, and
// some checks therefore find nothing.
func Summary(meshName string, findings []Finding, dataplanes int) string {
	unchecked := ""
	if dataplanes == 0 {
		unchecked = " It has no Dataplanes, so the selections of proxies and the settings that depend on them were not checked."
	}
	if len(findings) == 0 {
		return fmt.Sprintf("Mesh %q has no findings.%s", meshName, unchecked)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Mesh %q has %s.%s\n", meshName, countText(Count(findings)), unchecked)
	for _, same := range phrase.Grouped(findings, func(f Finding) string { return f.Code }) {
		writeCode(&b, same)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func countText(counts map[Severity]int) string {
	var parts []string
	for _, p := range []struct {
		n            int
		one, several string
	}{
		{counts[Error], "error", "errors"},
		{counts[Warning], "warning", "warnings"},
		{counts[Info], "info finding", "info findings"},
	} {
		if p.n > 0 {
			parts = append(parts, phrase.Count(p.n, p.one, p.several))
		}
	}
	return phrase.And(parts...)
}

// writeCode writes the findings of one code, each message once.
func writeCode(b *strings.Builder, findings []Finding) {
	var messages [][]Finding
	var first []Finding
	for i, f := range findings {
		if i == 0 || !sameText(findings[i-1], f) {
			messages, first = append(messages, nil), append(first, f)
		}
		last := len(messages) - 1
		messages[last] = append(messages[last], f)
	}
	shown := worst(first, perCode)
	if len(shown) < len(messages) {
		fmt.Fprintf(b, "\n%s %s: %d findings with %d different messages. These %d affect the most proxies:\n",
			findings[0].Severity, findings[0].Code, len(findings), len(messages), len(shown))
	}
	for _, i := range shown {
		writeMessage(b, messages[i])
	}
}

// Worst returns at most n findings of each code, those that affect the most proxies.
// It keeps their order.
func Worst(findings []Finding, n int) []Finding {
	return phrase.Each(worst(findings, n), func(i int) Finding { return findings[i] })
}

// worst returns the indexes of the findings that [Worst] returns.
func worst(findings []Finding, n int) []int {
	byCode := map[string][]int{}
	for i, f := range findings {
		byCode[f.Code] = append(byCode[f.Code], i)
	}
	var chosen []int
	for _, positions := range byCode {
		slices.SortStableFunc(positions, func(a, b int) int { return cmp.Compare(findings[b].Proxies, findings[a].Proxies) })
		chosen = append(chosen, positions[:min(n, len(positions))]...)
	}
	slices.Sort(chosen)
	return chosen
}

// sameText reports whether two findings have the same text.
func sameText(a, b Finding) bool {
	return a.Code == b.Code && a.Severity == b.Severity && a.Message == b.Message && a.Suggestion == b.Suggestion
}

// writeMessage writes findings with the same text: the first few resources and paths,
// those that affect the most proxies, then the text.
func writeMessage(b *strings.Builder, findings []Finding) {
	const few = 10
	f := findings[0]
	fmt.Fprintf(b, "\n%s %s: ", f.Severity, f.Code)
	byProxies := slices.Clone(findings)
	slices.SortStableFunc(byProxies, func(a, b Finding) int { return cmp.Compare(b.Proxies, a.Proxies) })
	for i, f := range byProxies {
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
		if more := f.particulars(); more != "" {
			b.WriteString(". " + more)
		}
	}
	fmt.Fprintf(b, "\n  %s\n  %s\n", f.Message, f.Suggestion)
}

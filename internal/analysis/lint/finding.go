package lint

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Severity says how bad a finding is.
type Severity string

// Severities, worst first.
const (
	Error   Severity = "error"   // traffic does not get what the document says
	Warning Severity = "warning" // something has no effect, or another one than it seems
	Info    Severity = "info"    // nothing is wrong yet
)

func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Finding is one thing to look at.
type Finding struct {
	Code       string
	Severity   Severity
	Resource   kuma.Key  // what to change
	Path       tree.Path // place in its document; empty for the whole
	Message    string    // what was found, and what it means for traffic
	Suggestion string    // what to do
	Proxies    int       // that it concerns, as far as that is known
}

// on returns the finding with the number of proxies that it concerns.
func (f Finding) on(proxies int) Finding {
	f.Proxies = proxies
	return f
}

// Code is a kind of finding.
type Code struct {
	Code     string   // stable: people write it into lists of what to ignore
	Severity Severity // of all its findings
	Title    string   // a few words, without a period
	Doc      string   // what is found and why it matters, in full sentences of Markdown
}

// at returns a finding of this code.
func (c Code) at(r *kuma.Resource, path tree.Path, message, suggestion string) Finding {
	return Finding{Code: c.Code, Severity: c.Severity, Resource: r.Key(), Path: path, Message: message, Suggestion: suggestion}
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Severity.rank(), b.Severity.rank()),
		cmp.Compare(a.Code, b.Code),
		kuma.CompareKeys(a.Resource, b.Resource),
		tree.ComparePaths(a.Path, b.Path),
		cmp.Compare(a.Message, b.Message),
	)
}

package lint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Severity is the severity of a finding.
type Severity string

// Severities, worst first.
const (
	Error   Severity = "error"   // traffic is not handled as the document specifies
	Warning Severity = "warning" // something has no effect or an unexpected one
	Info    Severity = "info"    // nothing is wrong yet
)

func (s Severity) rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Finding is a problem in a resource.
type Finding struct {
	Code       string
	Severity   Severity
	Resource   kuma.Key  // the resource to change
	Path       tree.Path // path in its document; empty for the whole document
	Message    string    // what is wrong, and the effect on traffic
	Detail     string    // more about this resource, as sentences
	Suggestion string    // what to do
	Here       string    // what that is for this resource, as sentences
	Proxies    int       // number of affected proxies; zero if unknown
}

// particulars returns what is special about the finding among those with the same text.
func (f Finding) particulars() string { return strings.TrimSpace(f.Detail + " " + f.Here) }

// on returns the finding with the number of affected proxies.
func (f Finding) on(proxies int) Finding {
	f.Proxies = proxies
	return f
}

// Code is a kind of finding.
type Code struct {
	Code     string   // stable, because configurations list codes to ignore
	Severity Severity // of all findings with this code
	Since    string   // the first release of Kuma with the problem, empty for all
	Title    string   // short, without a period
	Fix      string   // what to do in most cases, in a few words without a period
	Doc      string   // what is found and why it matters: whole sentences in Markdown
}

// at returns a finding with this code.
func (c Code) at(r *kuma.Resource, path tree.Path, message, suggestion string) Finding {
	return Finding{
		Code: c.Code, Severity: c.Severity, Resource: r.Key(), Path: path, Message: phrase.Printable(message),
		Suggestion: phrase.Printable(suggestion),
	}
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

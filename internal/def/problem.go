package def

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Path    tree.Path
	Summary string // at most 60 characters, sentence case, no period
	Detail  string // what was found, what is allowed here, what to do
	Stage   Stage
	Warning bool // the control plane stores the document anyway
	Topic   Topic
	Since   string // the release of Kuma that has what the detail advises; empty for all
	// Unchecked is the path below which a control plane that finds the problem
	// applies no other rule; nil when it continues.
	Unchecked tree.Path
	// Lacks is the path of a field without which there is the problem, and which
	// another entry or policy for the same traffic can set; nil if there is none.
	Lacks tree.Path
}

// Topic classifies a problem. Most problems do not have one.
type Topic string

// Topics.
const (
	Deprecation         Topic = "deprecation"          // a later release removes it
	IgnoredOnRoute      Topic = "ignored on route"     // proxies ignore it in an entry for a route
	LostOnRoute         Topic = "lost on route"        // set for a service, and not for its route
	SeveralDestinations Topic = "several destinations" // in one route
	PortlessBackend     Topic = "portless backend"     // read as a tag
	TagAsLabel          Topic = "tag as label"         // a label with the name of a tag
	AmbiguousBackend    Topic = "ambiguous backend"    // the labels of a reference may match several services
	Frozen              Topic = "frozen"               // the control plane cannot generate the configuration of a proxy
	JoinedPath          Topic = "joined path"          // a replaced prefix is joined with the rest of the path
	Unsupported         Topic = "unsupported"          // the release does not have it
	Unknown             Topic = "unknown"              // a field that the kind does not have
	Stated              Topic = "stated"               // Kuma 3.0 is stated to reject it, which nothing has measured
)

// About returns the problem with its topic.
func (p Problem) About(t Topic) Problem {
	p.Topic = t
	return p
}

// From returns the problem as one of releases that have what it advises.
func (p Problem) From(since string) Problem {
	p.Since = since
	return p
}

// Instead returns the problem as one that a control plane reports instead of
// all others that its rules would find at a path.
func (p Problem) Instead(place tree.Path) Problem {
	p.Unchecked = place
	return p
}

// Lacking returns the problem as one that another entry or policy can solve by
// setting a field.
func (p Problem) Lacking(field tree.Node) Problem {
	p.Lacks = field.Path
	return p
}

// hides reports whether a control plane that reports p does not report the
// other one.
func (p Problem) hides(other Problem) bool {
	n := len(p.Unchecked)
	return p.Unchecked != nil && other.Stage == p.Stage && len(other.Path) >= n &&
		tree.ComparePaths(other.Path, p.Path) != 0 && tree.ComparePaths(other.Path[:n], p.Unchecked) == 0
}

// Stage is the step of a write in which a control plane finds a problem; it
// reports the problems of the first step that has any (validation.md §1).
type Stage int

// Stages, first to last.
const (
	Schema   Stage = iota // fields, types, enums and limits of newer kinds
	Decode                // values that cannot be read; reported without a field
	Rule                  // rules of the kind
	Envelope              // name, type, mesh and labels
	Objects               // rules about other objects, and name lengths
	// Spelling is not a step: in an older kind, a control plane also reads a
	// number in quotes or the number of an enum, and stores the value in the
	// only form that is accepted here (validation.md §4).
	Spelling
)

// Sort orders problems by path, errors before warnings, then by summary.
func Sort(problems []Problem) {
	rank := map[bool]int{false: 0, true: 1}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(tree.ComparePaths(a.Path, b.Path), rank[a.Warning]-rank[b.Warning], cmp.Compare(a.Summary, b.Summary))
	})
}

// Errors returns the problems that are not warnings.
func Errors(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Warning })
}

// ErrorAt describes an error at n.
func ErrorAt(n tree.Node, summary, detail string) Problem {
	return Problem{Path: n.Path, Summary: summary, Detail: detail, Stage: Rule}
}

// WarningAt describes something at n that a control plane stores anyway.
func WarningAt(n tree.Node, summary, detail string) Problem {
	return Problem{Path: n.Path, Summary: summary, Detail: detail, Stage: Rule, Warning: true}
}

// ErrorIf returns an error at n if something is wrong, and nothing otherwise. The detail is written as by
// [fmt.Sprintf].
func ErrorIf(wrong bool, n tree.Node, summary, detail string, args ...any) []Problem {
	if !wrong {
		return nil
	}
	return []Problem{ErrorAt(n, summary, fmt.Sprintf(detail, args...))}
}

// WarningIf is [ErrorIf] for a warning.
func WarningIf(wrong bool, n tree.Node, summary, detail string, args ...any) []Problem {
	if !wrong {
		return nil
	}
	return []Problem{WarningAt(n, summary, fmt.Sprintf(detail, args...))}
}

package spec

import (
	"cmp"
	"slices"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Path    Path
	Summary string // at most 60 characters, sentence case, no period
	Detail  string // what was found, what is allowed here, what to do
	Stage   Stage
	Warning bool // the control plane stores the document all the same
	Topic   Topic
}

// Topic says what a problem is about, for those who sort problems. Most are
// about what their summary says, and have none.
type Topic string

// Topics.
const (
	Deprecation         Topic = "deprecation"          // a later release does without
	IgnoredOnRoute      Topic = "ignored on route"     // proxies do not look at it in an entry for a route
	LostOnRoute         Topic = "lost on route"        // set for a service, and not for its route
	SeveralDestinations Topic = "several destinations" // in one route
	PortlessBackend     Topic = "portless backend"     // read as a tag
	AmbiguousBackend    Topic = "ambiguous backend"    // the labels of one may fit several services
)

// About returns the problem with its topic.
func (p Problem) About(t Topic) Problem {
	p.Topic = t
	return p
}

// Stage is the step of a write in which a control plane finds a problem; it
// reports the problems of the first step that has any (spec/validation.md §1).
type Stage int

// Stages, first to last.
const (
	Schema   Stage = iota // members, types, enums and limits of newer kinds
	Decode                // values that cannot be read; reported without a field
	Rule                  // rules of the kind
	Envelope              // name, type, mesh and labels
	Objects               // rules that look at other objects, and name lengths
)

// Sort orders problems by path, then by summary.
func Sort(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(ComparePaths(a.Path, b.Path), cmp.Compare(a.Summary, b.Summary))
	})
}

// ComparePaths orders paths as the documents do: lists by position, before
// members, which go by name. What is above comes before what is below.
func ComparePaths(a, b Path) int {
	return slices.CompareFunc(a, b, func(x, y any) int {
		i, xInt := x.(int)
		j, yInt := y.(int)
		switch {
		case xInt && yInt:
			return cmp.Compare(i, j)
		case xInt:
			return -1
		case yInt:
			return 1
		}
		s, _ := x.(string)
		t, _ := y.(string)
		return cmp.Compare(s, t)
	})
}

// Errors returns the problems that are not warnings.
func Errors(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Warning })
}

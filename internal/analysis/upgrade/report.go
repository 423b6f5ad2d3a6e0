package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Action is what happens to a document, or to a part of it.
type Action string

// Actions.
const (
	Rewritten Action = "rewritten"
	Added     Action = "added"
	Removed   Action = "removed"
	Deferred  Action = "deferred"  // to stage two, because it changes something on 2.14
	Manual    Action = "manual"    // cannot be done mechanically
	Kept      Action = "kept"      // not read, and kept as it is
	Generated Action = "generated" // by the control plane, and not part of the stages
)

// actions are the actions, those to decide first.
var actions = []Action{Manual, Deferred, Kept, Removed, Rewritten, Added, Generated}

// Item is what happens to a document, or to a part of it, and why.
type Item struct {
	Key       kuma.Key
	Path      string // of the input document; empty for all of it
	Rewrite   string // such as R4; empty if there is none
	Condition string // of package kuma3, such as K3-030; empty if there is none
	Action    Action
	Stage     int // 1 or 2; 0 if nothing is written
	Text      string
	Choices   []string // what to do instead, where it cannot be done mechanically
}

// Report is what happens to the documents, each item once.
type Report []Item

func (r *Report) add(items ...Item) {
	for _, i := range items {
		if !slices.ContainsFunc(*r, i.equal) {
			*r = append(*r, i)
		}
	}
}

func (i Item) equal(o Item) bool {
	return i.Key == o.Key && i.Path == o.Path && i.Action == o.Action && i.Text == o.Text
}

// sorted returns the items with those to decide first, then by document.
func (r *Report) sorted() Report {
	rank := func(a Action) int { return slices.Index(actions, a) }
	slices.SortStableFunc(*r, func(a, b Item) int {
		return cmp.Or(cmp.Compare(rank(a.Action), rank(b.Action)), kuma.CompareKeys(a.Key, b.Key), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Stage, b.Stage))
	})
	return *r
}

// Of returns the items with an action.
func (r Report) Of(a Action) Report {
	return slices.DeleteFunc(slices.Clone(r), func(i Item) bool { return i.Action != a })
}

// String describes the report: the number of items with each action, and each item on a
// line, those to decide first.
func (r Report) String() string {
	var b strings.Builder
	for _, a := range actions {
		items := r.Of(a)
		if len(items) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s (%d):\n", a, len(items))
		for _, i := range items {
			fmt.Fprintf(&b, "- %s\n", i)
		}
	}
	return b.String()
}

// String describes the item as a line.
func (i Item) String() string {
	var b strings.Builder
	b.WriteString(i.Key.Local())
	if i.Path != "" {
		b.WriteString(" " + i.Path)
	}
	var notes []string
	for _, note := range []string{i.Rewrite, i.Condition} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if notes != nil {
		fmt.Fprintf(&b, " (%s)", strings.Join(notes, ", "))
	}
	b.WriteString(": " + i.Text)
	if len(i.Choices) > 0 {
		b.WriteString(" Choices: " + strings.Join(i.Choices, " Or: "))
	}
	return b.String()
}

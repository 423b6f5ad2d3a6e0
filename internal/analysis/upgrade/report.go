package upgrade

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
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
	Elsewhere Action = "elsewhere" // a copy, which the control plane that owns it rewrites
	Generated Action = "generated" // by the control plane, and not part of the stages
)

// actions are the actions, those to decide first.
var actions = []Action{Manual, Deferred, Kept, Removed, Rewritten, Added, Elsewhere, Generated}

// Item is what happens to a document, or to a part of it, and why.
type Item struct {
	Key       kuma.Key
	Path      string // of the input document; empty for all of it
	Rewrite   string // such as R4; empty if there is none
	Condition string // of package kuma3, such as K3-030; empty if there is none
	Action    Action
	Stage     int // 1 or 2; 0 if nothing is written
	Text      string
	Deletion  string   // when to delete the document on 2.14; empty if a stage does, or nothing has to
	Choices   []string // what to do instead, where it cannot be done mechanically
	Owner     string   // of a copy, such as zone east
	Also      []string // names of Dataplanes to which it applies as well, which are equal but for their name and address
}

// Report is what happens to the documents, each item once.
type Report []Item

// record collects the items of a report.
type record struct {
	items Report
	of    map[kuma.Key]Report // the same by document
}

func (r *record) add(items ...Item) {
	for _, i := range items {
		if !slices.ContainsFunc(r.of[i.Key], i.equal) {
			r.items, r.of[i.Key] = append(r.items, i), append(r.of[i.Key], i)
		}
	}
}

// equal compares items of the same document.
func (i Item) equal(o Item) bool {
	return i.Path == o.Path && i.Action == o.Action && i.Text == o.Text
}

// effect returns the effect of the condition. What has none is rejected, or has no effect.
func (i Item) effect() kuma3.Effect {
	if c, ok := kuma3.Find(i.Condition); ok {
		return c.Effect
	}
	return kuma3.Rejects
}

// sorted returns the items with those to decide first, the most dangerous of them first, then by
// document.
func (r Report) sorted() Report {
	rank := func(a Action) int { return slices.Index(actions, a) }
	slices.SortStableFunc(r, func(a, b Item) int {
		return cmp.Or(cmp.Compare(rank(a.Action), rank(b.Action)), cmp.Compare(a.effect(), b.effect()), kuma.CompareKeys(a.Key, b.Key),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Stage, b.Stage))
	})
	return r
}

// withoutReplaced returns the items without those about what a control plane generates and a stage replaces.
func (r Report) withoutReplaced() Report {
	added := map[kuma.Key]bool{}
	for _, i := range r.Of(Added) {
		added[i.Key] = true
	}
	return slices.DeleteFunc(slices.Clone(r), func(i Item) bool { return i.Action == Generated && added[i.Key] })
}

// Of returns the items with an action.
func (r Report) Of(a Action) Report {
	return slices.DeleteFunc(slices.Clone(r), func(i Item) bool { return i.Action != a })
}

// Notes returns the items with some actions by document, each text once with all its places.
func (r Report) Notes(actions ...Action) map[kuma.Key][]string {
	noted := slices.DeleteFunc(slices.Clone(r), func(i Item) bool { return !slices.Contains(actions, i.Action) })
	type note struct {
		key  kuma.Key
		text string
	}
	notes := map[kuma.Key][]string{}
	for _, same := range phrase.Grouped(noted, func(i Item) note { return note{i.Key, i.what()} }) {
		places := phrase.Each(same, func(i Item) string { return cmp.Or(i.Path, i.Key.Local()) })
		key := same[0].Key
		notes[key] = append(notes[key], phrase.Printable(phrase.Some(places, maxNames, "places")+": "+same[0].what()))
	}
	for _, i := range noted {
		for _, name := range i.Also {
			notes[kuma.Key{Type: i.Key.Type, Mesh: i.Key.Mesh, Name: name}] = notes[i.Key]
		}
	}
	return notes
}

// maxNames is the number of documents that a line of a report names, maxLines that of the lines with
// different texts about the same place and reason.
const maxNames, maxLines = 8, 20

// String describes the report: for each action, those to decide first, a line for each thing
// that happens, with the documents and the places that it happens to. Where nothing is to be
// decided, one text represents all of a rewrite at the same place, so that the report does not
// grow with the mesh.
func (r Report) String() string {
	var b strings.Builder
	for _, a := range actions {
		items := r.Of(a)
		if len(items) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s (%d):\n", a, items.documents())
		same := phrase.Grouped(items, func(i Item) string {
			switch reason, _, detailed := strings.Cut(i.Text, ": "); {
			case a == Rewritten, a == Added:
				return i.Key.Type + "\x00" + i.everywhere() + "\x00" + i.Rewrite + i.Condition
			case a == Deferred && detailed:
				return i.Key.Type + "\x00" + i.everywhere() + "\x00" + i.Rewrite + reason
			default:
				return fmt.Sprintf("%s\x00%v\x00%s", i.Key.Type, i.Path == "", i.what())
			}
		})
		shown := map[string]int{}
		omitted := slices.DeleteFunc(same, func(r Report) bool {
			kind := r[0].kind()
			if shown[kind]++; shown[kind] <= maxLines {
				b.WriteString(r.line())
			}
			return shown[kind] <= maxLines
		})
		for _, more := range phrase.Grouped(omitted, func(r Report) string { return r[0].kind() }) {
			fmt.Fprintf(&b, "- %s: the same with other values, %d times.\n", phrase.Printable(more[0][0].kind()), slices.Concat(more...).documents())
		}
	}
	return b.String()
}

// kind is what items of the same kind have in common: the document, the place and the reason.
func (i Item) kind() string {
	return strings.TrimSpace(i.Key.Type+" "+i.everywhere()) + ", " + cmp.Or(i.Condition, i.Rewrite, string(i.Action))
}

// line describes items of the same kind, by the text of the first one.
func (r Report) line() string {
	var names, paths []string
	text, others := r[0].what(), ""
	for _, i := range r {
		names, paths = append(append(names, i.Key.Name), i.Also...), append(paths, i.everywhere())
		if i.what() != text {
			others = "For " + r[0].Key.Name + ": "
		}
	}
	slices.Sort(paths)
	place := strings.TrimSpace(r[0].Key.Type + " " + phrase.Some(slices.Compact(paths), maxNames, ""))
	return phrase.Printable(fmt.Sprintf("- %s of %s: %s%s", place, phrase.Some(slices.Compact(names), maxNames, ""), others, text)) + "\n"
}

// String describes the item as a line.
func (i Item) String() string { return phrase.Printable(i.place() + ": " + i.what()) }

func (i Item) place() string { return strings.TrimSpace(i.Key.Local() + " " + i.Path) }

// everywhere returns the path in all documents of a kind.
func (i Item) everywhere() string { return position.ReplaceAllString(i.Path, "[]") }

var position = regexp.MustCompile(`\[\d+\]`)

// what describes the item without its place.
func (i Item) what() string {
	text := phrase.Paragraph(i.Text, i.Deletion)
	if i.Condition != "" {
		text = i.Condition + ". " + text
	}
	if len(i.Choices) > 0 {
		text += " Choices: " + strings.Join(i.Choices, " Or: ")
	}
	return text
}

package kuma3

import (
	"cmp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Condition is something in a document, or missing from it, that works on a control plane
// 2.14 and that Kuma 3.0 treats differently.
//
// It has two outcomes: that of a document that is written to a control plane of 3.0, and
// that of a document that 2.14 stored and 3.0 reads.
type Condition struct {
	ID     string // "K3-006"
	Effect Effect // the worst one on traffic

	Doc     string  // what is found, as sentences
	Written Outcome // of a write
	Stored  string  // what 3.0 does with a stored document, as sentences
	// MeasuredWrite and MeasuredStored are true for an outcome that was measured on a build
	// of 3.0. Others are stated by documents about the release (kuma3.md §2).
	MeasuredWrite, MeasuredStored bool

	Do string // what else to do than the declarations say
	// Instead returns the replacement for a value as a sentence, if it follows from
	// the document. It can only quote policies, because they contain no secrets.
	Instead func(n tree.Node) string
	Partly  bool // some of it can only be done after the upgrade
	// Since is the release of 2.14 on which it can be done; empty for all of them.
	Since string

	// Paths are the paths that the condition checks. They are empty if it involves
	// several resources.
	Paths []DocumentPath
	// Undeclared is true if no declaration of package kinds says that Kuma 3.0 does not
	// have or accept what the condition is about, so that only When decides. All other
	// conditions apply where the declarations say so, and their suggestions begin with
	// what the declaration says to do instead.
	Undeclared bool
	// When limits the condition to certain values; nil for all. It must return false if
	// the value is unknown or has the wrong type.
	When func(n tree.Node) bool
	// ServerOwned is true if a control plane 2.14 sets these fields itself, so that
	// users cannot change them in a stored resource.
	ServerOwned bool
}

// Message describes the condition and both outcomes. written is the outcome of a write.
func (c Condition) Message(written Outcome) string {
	return phrase.Paragraph(c.Doc, written.String(), c.Stored)
}

// Suggestion says what to do about all documents to which the condition applies.
func (c Condition) Suggestion() string {
	var sentences []string
	c.eachPath(func(p DocumentPath, path tree.Path, such func(value string) bool) {
		sentences = append(sentences, replacements(findKind(p.Kind), path, such)...)
	})
	return phrase.Paragraph(append(sentences, c.Do)...)
}

// Outcome returns the outcome of a write of all documents to which the condition applies;
// AsDeclared if it is not the same for all of them.
func (c Condition) Outcome() Outcome {
	switch {
	case c.Written != AsDeclared:
		return c.Written
	case c.Undeclared || len(c.Paths) == 0:
		return Accepted
	}
	seen := map[Outcome]bool{}
	common := AsDeclared
	c.eachPath(func(p DocumentPath, path tree.Path, _ func(string) bool) {
		common = declaredOutcome(findKind(p.Kind), path)
		seen[common] = true
	})
	if len(seen) > 1 {
		return AsDeclared
	}
	return common
}

// eachPath visits the paths of a condition that follows from declarations. such reports for
// a value at the path whether the condition applies.
func (c Condition) eachPath(visit func(p DocumentPath, path tree.Path, such func(value string) bool)) {
	if c.Undeclared {
		return
	}
	for _, p := range c.Paths {
		visit(p, tree.ParsePath(strings.ReplaceAll(p.Path, "[]", ".*")),
			func(value string) bool { return c.When == nil || c.When(tree.Root(value)) })
	}
}

// DocumentPath is a path in the documents of a kind, in the syntax of
// [tree.Node.Find]. The empty path is the whole resource.
type DocumentPath struct{ Kind, Path string }

// at returns a path in the documents of several kinds.
func at(path string, kinds ...string) []DocumentPath {
	return phrase.Each(kinds, func(kind string) DocumentPath { return DocumentPath{Kind: kind, Path: path} })
}

// each returns several paths in the documents of a kind.
func each(kind string, paths ...string) []DocumentPath {
	return phrase.Each(paths, func(path string) DocumentPath { return DocumentPath{Kind: kind, Path: path} })
}

// Effect is the effect of Kuma 3.0 on traffic, as far as the document decides it.
type Effect int

// Effects, most dangerous first.
const (
	Outage   Effect = iota // traffic fails
	Security               // traffic that was protected or denied no longer is
	Widens                 // a policy or a service applies to more proxies than before
	Changes                // settings no longer apply, or traffic is handled differently
	Rejects                // only a write is affected: it fails
	Cosmetic               // nothing changes
)

// Outcome is what a control plane of Kuma 3.0 does with a write.
type Outcome int

// Outcomes. AsDeclared is what the declarations of the kinds say; without a declaration, the
// write is accepted.
const (
	AsDeclared Outcome = iota
	Accepted
	Dropped
	Rejected
	NotFound
)

// String describes the outcome as a sentence, which is empty for an accepted write.
func (o Outcome) String() string {
	return []string{
		"", "", "Kuma 3.0 accepts a write, and silently drops it.", "Kuma 3.0 rejects a write.", "Kuma 3.0 responds to a write with 404.",
	}[o]
}

// Compare orders conditions by effect, most dangerous first, then by ID.
func (c Condition) Compare(o Condition) int {
	return cmp.Or(cmp.Compare(c.Effect, o.Effect), cmp.Compare(c.ID, o.ID))
}

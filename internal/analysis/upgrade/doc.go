// Package upgrade rewrites the documents of a mesh from the form of Kuma 2.14 to that of
// Kuma 3.0, and proves what that changes.
//
// [Rewrite] works in two stages. Stage one contains documents that a control plane 2.14
// accepts and that change nothing there. Stage two contains what only Kuma 3.0 accepts:
// without tags, names in references, `from`, and what else it removed.
//
// The rewrites are the rows of one table, in the order of kuma3.md §6.1. Each of them
// proposes changes, each for one document. In stage one a proposal is accepted only if its
// documents are valid on 2.14, and if the engine finds that no proxy has other settings,
// other services or other clients with it (see package impact). A proposal that changes
// something waits for stage two, and the report says what it changes. So no rewrite has to
// know how policies override each other.
//
// Before all of them, older kinds become policies. The engine does not evaluate older kinds, so what
// the policies set is compared with what the most specific older resource does.
//
// What is not rewritten stays as it is. The [Report] names it, with the reason: documents
// of unknown kinds, those that are not valid on 2.14, ambiguous references, and what the
// conditions of package kuma3 still find.
//
// Like package rules, this package is pure. Rewriting the result of stage two again
// changes nothing.
package upgrade

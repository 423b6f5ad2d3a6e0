// Package kuma3 describes what must change in the documents of a control plane 2.14
// before Kuma 3.0: conditions by kind and path, each with what 3.0 does with a document
// that is written and with one that 2.14 stored, the effect on traffic, and what to do
// (kuma3.md).
//
// What 3.0 does not have, and what to use instead, is declared with the kinds. A condition
// applies where a declaration says so, and adds what that means for a mesh. Only what no
// declaration says has a predicate of its own.
//
// The conditions are in files by subject: references.go and sections.go for what
// policies have in common, policy.go for single kinds of policies, route.go,
// service.go, mesh.go, dataplane.go, labels.go, and kinds.go for removed kinds.
// several.go contains those that involve several resources, which package lint finds. config.go is
// about the configuration of the control plane.
// [Conditions] returns all of them, [Check] applies the others to one resource. Findings, the
// rewriting of package upgrade and the documentation refer to them by their ID.
//
// This package can be deleted when no release before 3.0 is supported. Only the packages
// lint and upgrade use it.
package kuma3

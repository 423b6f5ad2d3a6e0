// Package kuma3 lists what has to change in the documents of a control plane
// 2.14 before Kuma 3.0: conditions by kind and path, each with what 3.0 makes of
// it and what to write instead (kuma3.md).
//
// The list is spread over files by subject: references.go and sections.go for
// what policies share, policy.go for single kinds of policies, route.go,
// service.go, mesh.go, dataplane.go, and kinds.go for kinds that are gone.
// [Conditions] returns all of it, [Check] applies it to one resource. What
// several resources decide together is found by package lint, which uses
// [Condition] to describe it.
//
// Kuma 3.0 was a development branch when the conditions were written. Once it is
// all there is, this package can be deleted: nothing but the linter uses it.
package kuma3

// Package kuma3 declares what must change in the documents of a control plane 2.14
// before Kuma 3.0: conditions by kind and path, each with the effect in 3.0 and the
// replacement (kuma3.md).
//
// The conditions are in files by subject: references.go and sections.go for what
// policies have in common, policy.go for single kinds of policies, route.go,
// service.go, mesh.go, dataplane.go, and kinds.go for removed kinds. [Conditions]
// returns all of them, [Check] applies them to one resource. Package lint checks
// conditions that involve several resources, and describes them with [Condition].
//
// Kuma 3.0 was a development branch when the conditions were written. This package can
// be deleted when no older release is supported. Only the linter uses it.
package kuma3

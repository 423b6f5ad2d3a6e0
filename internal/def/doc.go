// Package def is the vocabulary in which package kinds describes the kinds of
// Kuma resources: fields, references, checks, defaults and merge directives.
//
// A description is a plain value. Everything else is a function over it. [Walk]
// visits the values of a document together with their descriptions, and most of
// the others are visits: [Kind.Validate] finds the problems of a document,
// [Kind.UnknownFields] the fields that the kind does not have, [Kind.Secrets]
// the values that must stay hidden. A new kind of check is one more visit.
// [Kind.Store] turns a document into what a control plane would store, and
// [SameScalar] reports whether two values are equal although they are written
// differently. Packages tfschema and tfvalue derive the Terraform schema and
// codec, package rules merges confs.
//
// The package knows neither Terraform nor HTTP, and no kind by name except
// those of references.
package def

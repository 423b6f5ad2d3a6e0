// Package def is the vocabulary in which package kinds describes the kinds of
// Kuma resources: fields, references, checks, defaults and merge directives.
//
// A description is a plain value. Everything else is a function over it.
// [Walk] visits the places of a document together with what describes them, and
// most of the others are visits: [Kind.Validate] finds what is wrong with a
// document, [Kind.UnknownMembers] what the kind does not have, [Kind.Secrets]
// what must stay hidden. A new kind of check is one more visit.
// [Kind.Store] turns a document into what a control plane would store,
// [SameScalar] tells whether two spellings mean the same. Packages tfschema and
// tfvalue derive the Terraform schema and codec, package rules merges confs.
//
// The package knows neither Terraform nor HTTP, and no kind by name
// but those that references have.
package def

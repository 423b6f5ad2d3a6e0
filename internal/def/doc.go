// Package def is the vocabulary in which package kinds describes the kinds of
// Kuma resources: fields, references, checks, defaults and merge directives.
//
// A description is a plain value. Everything else is a function over it:
// [Kind.Validate] finds what is wrong with a document, [Kind.Store] turns a
// document into what a control plane would store, [Same] tells whether two
// spellings mean the same. The Terraform schema and codec are derived in
// package provider, the merging of confs in package rules.
//
// The package knows neither Terraform nor HTTP, and no kind by name.
package def

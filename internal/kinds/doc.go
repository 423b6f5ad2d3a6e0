// Package kinds describes the kinds of Kuma resources, one file each, in the
// vocabulary of package def. The file of a kind contains everything about it:
// fields, limits, references, defaults, rules and documentation. What kinds
// share is in the packages below: check contains rules, object contains parts
// of documents, and policy contains what policies have in common.
//
// To add a kind, write its file and add it to [All].
package kinds

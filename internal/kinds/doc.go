// Package kinds describes the kinds of Kuma resources, one file each, in the
// vocabulary of package def. All there is to know about a kind is in its file:
// fields, limits, references, defaults, rules and documentation.
//
// To add a kind, write its file and add it to [All].
package kinds

// Package kinds describes the kinds of Kuma resources, one file each, in the
// vocabulary of package def. All there is to know about a kind is in its file:
// fields, limits, references, defaults, rules and documentation. What kinds
// share is in the packages below: check has rules, object has parts of
// documents, policy has what makes a kind a policy.
//
// To add a kind, write its file and add it to [All].
package kinds

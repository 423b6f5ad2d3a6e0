// Package lint finds what is wrong or dead in a mesh: references that lead
// nowhere, policies that select no proxy, entries that never win, and what a
// control plane stores although it does not do what its author meant.
//
// [Mesh] looks at a set of resources, stored or planned, and returns [Finding]
// values with a stable [Code]. What a policy selects, what a reference means and
// who overrides whom is asked of package rules; what is deprecated or without
// effect in a single document, of the descriptions in package kinds. This
// package holds no rule of matching.
//
// [Kuma3] looks at the same resources for what Kuma 3.0 will treat differently.
// Package kuma3 holds the conditions on single resources, the files kuma3*.go
// those that several resources decide together.
//
// Every code has a pair of documents in testdata: one that is found and one that
// is not. The guide in the documentation is made of them.
//
// The package is pure: no clock, no files, no network; the same resources give
// the same findings in whatever order they come.
package lint

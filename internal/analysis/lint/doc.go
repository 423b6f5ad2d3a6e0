// Package lint finds errors and ineffective settings in a mesh: references to
// resources that do not exist, policies that select no proxy, entries that are always
// overridden, and documents that a control plane accepts but that do not do what
// their author intended.
//
// [Mesh] analyzes a set of resources, stored or planned, and returns [Finding] values
// with a stable [Code]. Package rules decides which proxies a policy selects, what a
// reference resolves to and which policy overrides which; the declarations in package
// kinds decide what is deprecated or ineffective in a single document. This package
// contains no matching rules.
//
// [Kuma3] analyzes the same resources for changes in Kuma 3.0. Package kuma3 contains
// the conditions on single resources, the files kuma3*.go those that involve several
// resources.
//
// Every code has two sets of documents in testdata, one with findings and one
// without. The guide in the documentation is generated from them.
//
// The package is pure: it uses no clock, no files and no network, and the result does
// not depend on the order of the resources.
package lint

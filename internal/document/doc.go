// Package document reads documents of Kuma from YAML or JSON, or already
// decoded, in universal or Kubernetes format.
//
// A [Reader] determines how strict to be: how to treat kinds that are not
// described, and what is checked in the others. A [Result] contains the
// resources and the problems, as data. The caller decides where a problem is
// shown, and whether the first one is enough. Parts of a document may be
// [tree.Unknown].
package document

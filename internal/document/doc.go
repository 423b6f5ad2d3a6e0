// Package document reads documents of Kuma, given as YAML or JSON text or
// decoded, in universal or Kubernetes format.
//
// A [Reader] says how strict to be: how to treat kinds that are not described,
// and what is checked of the others. What it finds is a [Result]: resources,
// and what is wrong, as data. Where a problem is shown, and whether the first
// one is enough, is for the caller to decide. Parts of a document may be
// [tree.Unknown].
package document

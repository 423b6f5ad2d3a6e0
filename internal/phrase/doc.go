// Package phrase writes the parts of sentences that messages share: lists, which
// may be cut short, counts, values of documents, names in quotes, and suggestions
// for a misspelled word. How resources and references are named is in package kuma.
package phrase

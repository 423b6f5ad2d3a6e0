// Package phrase formats the parts of sentences that messages share: lists,
// which may be shortened, counts, values of documents, quoted names, and
// suggestions for a misspelled word. Package kuma formats resources and
// references.
package phrase

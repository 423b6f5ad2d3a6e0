// Package phrase writes the parts of sentences that messages share: lists,
// counts, names in quotes, and suggestions for a misspelt word.
package phrase

// Package check contains checks that kinds share, in addition to those of
// package def: of addresses, names, numbers, paths and strings in certain
// formats, and the longer checks of single kinds.
package check

// Package check holds rules that kinds share, next to those of package def: for
// addresses, names, numbers, paths and texts of a certain form, and the longer
// ones of single kinds.
package check

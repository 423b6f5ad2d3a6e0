// Package tree works on decoded JSON and YAML: values built from map[string]any,
// []any, string, bool, [encoding/json.Number] and nil.
//
// It compares and copies such values, decodes and encodes them without losing a
// digit of a number, and addresses places in them: a [Node] is a place in a
// document, present or not, and a [Path] leads to it. A value that a Terraform
// plan does not know yet is [Unknown].
package tree

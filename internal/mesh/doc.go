// Package mesh says what a Kuma resource is: its envelope (type, mesh, name,
// labels), its identity, the labels that matching looks at, references to
// other resources, and the two document formats (universal and Kubernetes).
//
// Bodies stay trees of decoded JSON: map[string]any, []any, string, bool,
// [encoding/json.Number] and nil. Nothing in here knows the fields of a kind,
// Terraform or HTTP.
package mesh

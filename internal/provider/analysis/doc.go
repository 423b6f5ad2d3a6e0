// Package analysis contains the data sources kuma_effective_rules, kuma_policy_impact and
// kuma_mesh_lint, and the input that they share with the functions of the same names:
// stored or given resources, with planned changes applied and without removed ones
// (input.go, resources.go, exclude.go).
package analysis

// Package testworld gives tests their input: documents and resources written as
// YAML or JSON, the worlds recorded from real control planes, and files of
// expected output that the flag -update rewrites. It also compares answers of the
// inspect API. It is for tests, and for tools that record their input.
package testworld

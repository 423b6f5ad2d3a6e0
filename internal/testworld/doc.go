// Package testworld gives tests their input: resources written as YAML, the worlds
// recorded from real control planes, and files of expected output that the flag
// -update rewrites. It compares answers of the inspect API. It is for tests, and
// for tools that record what tests read.
package testworld

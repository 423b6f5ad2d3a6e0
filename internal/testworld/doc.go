// Package testworld gives tests their input: resources written as YAML, the worlds
// recorded from real control planes, and files of expected output that the flag
// -update rewrites. It is for tests only.
package testworld

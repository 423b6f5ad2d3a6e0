// Package e2e tests the guides, modules and examples as users follow them, with a command line
// and the whole provider.
package e2e

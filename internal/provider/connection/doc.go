// Package connection is what a configured provider passes to its resources, data sources
// and ephemeral resources: the store of the control plane, the state of the run, and the
// settings of the provider that concern them.
package connection

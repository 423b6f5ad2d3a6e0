// Package oracle compares the engine with the Envoy configuration that a
// control plane generates for connected proxies. It is a module of its own,
// because the provider must not depend on the types of that configuration.
package oracle

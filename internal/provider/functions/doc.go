// Package functions contains the functions of the provider. They know neither the provider
// configuration nor a control plane.
package functions

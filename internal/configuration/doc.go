// Package configuration writes Terraform configuration for resources of a control
// plane: a block for each, with references to one another, import blocks, and
// variables for secrets.
//
// It does not access a control plane. The configuration that it writes plans without
// changes for the resources that it was written from.
package configuration

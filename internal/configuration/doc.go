// Package configuration writes Terraform configuration for resources that a
// control plane stores: the block of each, with references to one another, the
// import block that takes it over, and variables for what is secret.
//
// It reads no control plane. What it writes plans without changes for resources
// that are stored as they were given.
package configuration

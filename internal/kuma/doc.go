// Package kuma is the resource model of Kuma: the envelope of a resource (type,
// mesh, name, labels), its identity, the labels that matching uses, references
// to other resources, releases, and the two document formats (universal and
// Kubernetes).
//
// Bodies remain decoded JSON, see package tree. The package knows neither the
// fields of a kind, nor Terraform, nor HTTP.
package kuma

// Package kuma is the resource model of Kuma: the envelope of a resource (type,
// mesh, name, labels), its identity, the labels that matching looks at,
// references to other resources, releases, and the two document formats
// (universal and Kubernetes).
//
// Bodies stay decoded JSON, see package tree. Nothing in here knows the fields
// of a kind, Terraform or HTTP.
package kuma

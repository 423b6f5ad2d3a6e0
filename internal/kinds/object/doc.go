// Package object describes objects inside of documents, each with its rules:
// those that several kinds hold, and the larger ones of a Dataplane and a Mesh.
package object

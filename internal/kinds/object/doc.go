// Package object describes objects inside documents, each with its rules: those
// that several kinds share, and the larger ones of a Dataplane and a Mesh.
package object

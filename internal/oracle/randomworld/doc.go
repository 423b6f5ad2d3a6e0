// Package randomworld generates meshes for comparisons of the matching engine
// with a control plane: small meshes with many interactions. There are few
// names, labels, tags and values, so that references resolve, policies tie, and
// confs conflict.
//
// The structure of documents comes from package kinds: values are drawn until
// the declaration of their field accepts them, and each document aims at one
// declared place, so a new field is included automatically. This package only
// contains the relations between the resources of a mesh.
//
// The same seed gives the same world as long as this package and the
// declarations do not change.
package randomworld

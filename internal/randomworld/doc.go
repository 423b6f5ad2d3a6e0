// Package randomworld invents meshes for comparisons of the matching engine with
// a control plane: small ones in which much goes on at once. Names, labels, tags
// and values are few, so that references hit, policies tie, and confs collide.
//
// What documents look like comes from package kinds: values are drawn until the
// declaration of their field accepts them, so a new field takes part by itself.
// Only what resources of one mesh have to do with each other is written here.
//
// The same seed makes the same world, for as long as this package and the
// declarations stay the same.
package randomworld

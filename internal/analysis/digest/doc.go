// Package digest tells which proxies get the same from the policies of a mesh.
//
//	one, err := digest.Of(snapshot, answer)
//	groups, err := digest.Groups(snapshot, "shop", dataplanes, "MeshTimeout")
//
// A digest is a hash of what the rules of a proxy make of its Envoy: the confs, and
// the conditions under which each applies. It leaves out what an answer of the
// inspect API shows besides, and what therefore differs between the instances of one
// service:
//
//   - the proxy itself: its name, its labels, and its addresses. An inbound counts
//     under its section name, which is its port only if it has no name, and without
//     the tags that describe it;
//   - the policies that the confs come from, and the labels of destinations;
//   - rules for a route that does not apply to the proxy;
//   - what the control plane warns about.
//
// Like package rules, which computes the answers, this one is pure: the same
// resources give the same digests, in whatever order they come.
package digest

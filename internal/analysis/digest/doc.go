// Package digest determines which proxies of a mesh get the same settings from its
// policies.
//
//	one, err := digest.Of(snapshot, answer)
//	groups, err := digest.Groups(snapshot, "shop", dataplanes, "MeshTimeout")
//
// A digest is a hash of the effect of the rules on a proxy: the confs, and the
// conditions under which each applies. It excludes everything else in an answer of
// the inspect API, which differs between the instances of one service:
//
//   - the name, labels and addresses of the proxy. An inbound is identified by its
//     section name, which is the port only if it has no name, and its tags are
//     ignored. A listener of a builtin gateway is identified by its port and host name;
//   - the policies that the confs come from, and the labels of destinations. Only a route with
//     settings of its own is identified, with the matches of the requests that it takes;
//   - rules for a route that does not apply to the proxy;
//   - the warnings of the control plane;
//   - what is not a policy: services, endpoints, outbounds, certificates and defaults.
//
// So equal digests mean that policies do the same to equal requests
// (TestDigestsFollowRequests of package answer). Different ones may differ in confs that
// the proxy does not use, for instance for destinations that it does not call.
//
// Like package rules, which computes the answers, this package is pure: the same
// resources give the same digests, regardless of their order.
package digest

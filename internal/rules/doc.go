// Package rules computes what the policies of a mesh mean for one proxy, as
// Kuma's inspect API reports it.
//
// A mesh holds resources. A dataplane is the description of a proxy. A policy,
// say one that sets timeouts, names the proxies it configures in its top-level targetRef
// and says in up to three lists what it configures there:
//
//   - `to`: outgoing traffic, with one conf for each destination;
//   - `from`: incoming traffic, with one conf for each group of clients;
//   - `rules`: incoming traffic, with one conf for each kind of request.
//
// Some kinds configure the proxy as a whole and have a single `default`.
//
// Usually several policies of one kind apply to a proxy. They do not exclude
// each other: their confs are merged, field by field, and the stronger policy
// wins where two set the same field. For each kind this takes four steps.
//
//  1. Select. Which policies select the proxy, and which of its inbounds? The
//     reference decides, but only if zone, namespace and role of the policy let
//     it touch the proxy (spec/matching.md §2).
//  2. Order. The selected policies are sorted from weak to strong: a reference
//     to fewer proxies is stronger, then a policy from nearer by (zone over
//     global), then the role, then the alphabetically smaller name (§3).
//  3. Resolve. Entries are brought down to what they are about: resources and
//     their ports (§4.1), sets of tags (§5.2), or matches on requests (§7.2).
//  4. Merge. For each thing that some entry is about, all entries that are
//     relevant to it are merged in order; they become its origin (§9).
//
// The result has one section for each way of being about something:
//
//   - [ResourceRule]: a service, a port, a route or the mesh. Entries for the
//     mesh are part of every rule, those for a service of the rules for its
//     ports. Routes inherit from the mesh, but not from services (§4.2).
//   - [Rule], in toRules and fromRules: peers by their tags. This is the older
//     form. Where tags can be combined, rules for all combinations are listed,
//     including those in which a tag is missing (§5.3).
//   - [InboundRule]: requests by the client's identity. These are listed one by
//     one and not merged (§7).
//   - [ProxyRule]: the proxy (§8).
//
// A [Snapshot] prepares a set of resources once: it reads the policies, resolves
// their destinations, and answers for any dataplane from then on. The package
// is pure: it knows neither Terraform nor a control plane, the same resources
// give the same bytes, and no document makes it panic. Which kinds exist, which
// lists they have and which lists in a conf are concatenated is taken from
// package kinds; only routes are known by name, in route.go.
package rules

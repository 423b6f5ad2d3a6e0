// Package rules computes what the policies of a mesh mean for one proxy, as
// Kuma's inspect API reports it, and why.
//
// # The problem
//
// A mesh holds resources. A dataplane is the description of a proxy: the ports
// on which it accepts traffic (inbounds) and the tags of what runs behind them.
// A policy, say one that sets timeouts, names the proxies it configures in its
// top-level targetRef and says in up to three lists what it configures there:
//
//   - `to`: outgoing traffic, with one conf for each destination;
//   - `from`: incoming traffic, with one conf for each group of clients;
//   - `rules`: incoming traffic, with one conf for each kind of request.
//
// Some kinds configure the proxy as a whole and have a single `default`.
//
// Usually several policies of one kind apply to a proxy. They do not exclude
// each other: their confs are merged, field by field, and the stronger policy
// wins where two set the same field.
//
// # The algorithm
//
// A [Snapshot] prepares a set of resources once: it reads the policies and
// resolves their destinations. For a dataplane and a kind of policy four steps
// are left.
//
//  1. Select (selection.go). Which policies select the proxy, and which of its
//     inbounds? The reference decides, but only if zone, namespace and role of
//     the policy let it touch the proxy: a consumer's policy stays within the
//     consumer's namespace, a producer's goes wherever the service is used
//     (matching.md §2; design record 000, "Overriding configuration").
//  2. Order (order.go). The selected policies are sorted from weak to strong: a
//     reference to fewer proxies is stronger, then a policy from nearer by (zone
//     over global), then the role, then the alphabetically smaller name (§3).
//  3. Resolve (resolve.go, subset.go, inbound.go). Entries are brought down to
//     what they are about: resources and their ports (§4.1, design record 002),
//     sets of tags (§5.2), or matches on requests (§7.2).
//  4. Merge (merge.go). For each thing that some entry is about, all entries
//     that are relevant to it are merged in order; they become its origin (§9).
//
// The result has one section for each way of being about something:
//
//   - [ResourceRule]: a service, a port, a route or the mesh. Entries for the
//     mesh are part of every rule, those for a service of the rules for its
//     ports. Routes inherit from the mesh, but not from services (§4.2, design
//     records 003 and 000).
//   - [Rule], in toRules and fromRules: peers by their tags. This is the older
//     form. Where tags can be combined, rules for all combinations are listed,
//     including those in which a tag is missing. Their number doubles with every
//     tag that goes with all others, in the answer as on a control plane (§5.3).
//   - [InboundRule]: requests by the client's identity. These are listed one by
//     one and not merged (§7).
//   - [ProxyRule]: the proxy (§8).
//
// # Questions about an answer
//
// [PolicyRules.Lookup] finds the one rule for traffic to a destination. It looks
// for the route first, then for the port, the service, the mesh, and takes the
// first rule whole (§12). That gives the five levels of design record 000: a
// consumer's policy on a consumer's route comes first, a producer's policy on
// the service last.
//
// [ResourceRule.Explain] and its siblings tell for each leaf of a conf which entry
// of which policy set it, and which ones that overrode. They repeat the merge with a
// trace beside it (trace.go), so they cannot disagree with the conf, and cost
// nothing unless they are called.
//
// Who looks at the rules of all dataplanes asks for [Snapshot.Outline]. It selects,
// orders and resolves, but does not merge: most rules consist of the same entries as
// those of another dataplane, or before a change, which their [Input] tells. The order
// is never taken from another dataplane or from before, because the comparison of
// policies is not transitive: one more policy can swap others (§3.3). [Order.Cycle]
// tells which.
//
// The analyses of a mesh ask the snapshot for its resources
// ([Snapshot.Resources]), for the dataplanes with the same rules
// ([Snapshot.Groups], which divides them once), for what a policy selects
// ([Snapshot.Selected]) and why not others ([Snapshot.Excluded]), and for what
// a reference means ([Snapshot.Resolve]). [Snapshot.Dependents] tells which
// types a change can reach.
//
// # Limits
//
// The package is pure: it knows neither Terraform nor a control plane, the same
// resources give the same bytes in whatever order they come, nothing it is given
// is modified, and no document makes it panic. Which kinds exist, which lists
// they have and how the fields of a conf merge is taken from package kinds; only
// routes and gateways are known by name. Where the control plane differs from
// the design record, answers follow the control plane (matching.md §14),
// except that an entry of `to` may be about a MeshTCPRoute, which no control
// plane accepts yet.
package rules

// Package rules computes the rules that the policies of a mesh result in for
// one proxy, as Kuma's inspect API reports them, and explains them.
//
// # The problem
//
// A mesh contains resources. A dataplane describes a proxy: the ports on which
// it accepts traffic (inbounds) and the tags of what runs behind them. A
// policy, such as one that sets timeouts, selects proxies in its top-level
// targetRef and contains their settings in up to three lists:
//
//   - `to`: outgoing traffic, with one conf for each destination;
//   - `from`: incoming traffic, with one conf for each group of clients;
//   - `rules`: incoming traffic, with one conf for each kind of request.
//
// Some kinds configure the proxy as a whole and have a single `default`.
//
// Usually several policies of one kind apply to a proxy. They do not exclude
// each other: their confs are merged, field by field, and the policy with
// higher precedence wins where two set the same field.
//
// # The algorithm
//
// A [Snapshot] prepares a set of resources once: it reads the policies and
// resolves their destinations. For a dataplane and a kind of policy, four steps
// remain.
//
//  1. Select (selection.go). Which policies select the proxy, and which of its
//     inbounds? The reference decides, but only if zone, namespace and role of
//     the policy allow it to apply to the proxy: a consumer's policy applies in
//     the consumer's namespace, a producer's wherever the service is used
//     (matching.md §2; design record 000, "Overriding configuration").
//  2. Order (order.go). The selected policies are sorted by increasing
//     precedence: by how specific their reference is, then by origin (zone over
//     global), then by role, then by name (§3).
//  3. Resolve (resolve.go, subset.go, inbound.go). Entries are resolved to their
//     targets: resources and their ports (§4.1, design record 002), sets of tags
//     (§5.2), or matches on requests (§7.2).
//  4. Merge (merge.go, rule_builder.go). For each target, all entries that are
//     relevant to it are merged in order; they become its origin (§9).
//
// The result has one section for each kind of target:
//
//   - [ResourceRule]: a service, a port, a route or the mesh. Entries for the
//     mesh are part of every rule, those for a service of the rules for its
//     ports. Routes inherit from the mesh, but not from services (§4.2, design
//     records 003 and 000).
//   - [Rule], in toRules and fromRules: peers by their tags. This is the older
//     form. Where tags can be combined, rules for all combinations are listed,
//     including those in which a tag is missing. Their number doubles with every
//     tag that can be combined with all others, as on a control plane (§5.3).
//   - [InboundRule]: requests by the client's identity. These are listed one by
//     one and not merged (§7).
//   - [ProxyRule]: the proxy (§8).
//
// # Questions about an answer
//
// [PolicyRules.Lookup] finds the one rule for traffic to a destination. It
// looks for the route first, then for the port, the service and the mesh, and
// returns the first rule as a whole (§12). That gives the five levels of design
// record 000: a consumer's policy on a consumer's route comes first, a
// producer's policy on the service last.
//
// [PolicyRules.Outgoing] and [PolicyRules.Incoming] return what the proxy does with
// the rules. An answer of the inspect API lists them as policies define them, and
// combines the listeners of a builtin gateway, which keeps them apart (§18.4).
//
// [ResourceRule.Explain] and the methods with the same name return for each
// leaf of a conf the entry that set it, and the ones that it overrode. They
// repeat the merge with a trace (trace.go), so they cannot disagree with the
// conf, and cost nothing unless they are called.
//
// [Snapshot.Outline] is for callers that process the rules of all dataplanes.
// It selects, orders and resolves, but does not merge: most rules consist of
// the same entries as those of another dataplane, or of the same one before a
// change, and have the same [Input]. The order is always computed, because the
// comparison of policies is not transitive: one more policy can reverse the
// order of others (§3.3).
//
// The analyses of a mesh ask the snapshot for its resources
// ([Snapshot.Resources]), for the dataplanes with the same rules
// ([Snapshot.Groups], which divides them once), for the dataplanes that a
// policy selects ([Snapshot.Selected]), why it does not select others
// ([Snapshot.Excluded]), and for the targets of a reference
// ([Snapshot.Resolve]). [Snapshot.Dependents] returns the types that a change
// can affect.
//
// # Limits
//
// The package is pure: it knows neither Terraform nor a control plane, the same
// resources give the same bytes in any order, its input is never modified, and
// no document makes it panic. Which kinds exist, which lists they have and how
// the fields of a conf merge is taken from package kinds; only routes and
// gateways are known by name. Where the control plane differs from the design
// record, answers follow the control plane (matching.md §14), except that an
// entry of `to` may target a MeshTCPRoute, which no control plane accepts yet.
package rules

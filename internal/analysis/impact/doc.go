// Package impact computes how a change of resources affects the proxies of a mesh:
// which proxies get different settings, the values before and after, the policies
// that set them, and which changed policies have no effect.
//
// [Compare] takes the resources before and after the change, and computes the rules
// of both with package rules. It compares what the rules mean for traffic, not how
// they are written:
//
//   - Values are compared for the same destination or peer. If only one side has a
//     rule for a destination, it is compared with the rule on the other side that
//     the same traffic falls back to (matching.md §12). A new entry that sets one
//     value for a service changes only that value, although its rule repeats all
//     values set for the mesh. An entry for a route removes what was set for the
//     service.
//   - A rule for a route counts only for proxies to which the route applies.
//   - The policy that sets a value is reported, but a value that only comes from a
//     different policy has not changed.
//   - Rules of an HTTP route are identified by their matches, not by their position.
//   - A value can change although neither policy that sets it does: other policies
//     can reverse their order (matching.md §3.3). [CauseOrder] marks such changes.
//   - Incoming traffic is compared as a proxy treats it, see [rules.Incoming]: `from`
//     and `rules` are merged, or one replaces the other. For permissions, [AccessPath]
//     reports which clients may connect.
//   - The services that a proxy has listeners for are compared too, and whether it lets
//     traffic out of the mesh: [ReachablePath].
//   - Requests are sent on both sides by package request, one for each match of the routes
//     that the change concerns, also from outside the mesh through builtin gateways:
//     [RequestChange].
//
// Only what the change can affect is computed, and only once for all dataplanes that
// it affects in the same way: see [rules.Snapshot.Dependents] and [rules.Match].
// Rules with the same [rules.Input] on both sides are not merged. Each dataplane is
// matched on both sides, because one more policy can reverse the order of others.
//
// Like package rules, this package is pure, and the result does not depend on the
// order of the resources.
package impact

// Package impact tells what a change of resources does to the proxies of a mesh:
// whose settings change, from what to what, because of which policies, and which
// changed policies do nothing.
//
// [Compare] takes the resources before and after and asks package rules about
// both. It does not compare the two answers as they are written, but what they
// mean for traffic:
//
//   - Values are compared for the same destination or peer. Where only one of the
//     two sides has a rule for a destination, the other side's rule is the one that
//     its traffic falls back to (matching.md §12). A new entry that sets one
//     value for a service changes that value only, though its rule repeats all the
//     values of the mesh; one for a route takes away what the service had set.
//   - A rule about a route counts only for proxies that the route is applied to.
//   - Whom a value comes from is told, but where it comes from another policy and
//     is the same, nothing has changed.
//   - Rules of an HTTP route are told apart by their matches and not by position.
//   - A value may change although neither policy behind it does: other policies can
//     reverse their order (matching.md §3.3). [CauseOrder] tells these changes apart.
//   - Inbound rules are not merged, by a control plane neither, so each entry is
//     reported on its own. An entry of `from` is reported as such, also for the
//     kinds for which it is evaluated as an inbound rule.
//
// Only what the change can reach is computed, once for all dataplanes that it
// reaches in the same way: see [rules.Snapshot.Dependents] and [rules.Match]. Rules of
// the same [rules.Input] on both sides are not merged. Each dataplane is matched
// on both sides, because one more policy can swap others.
// Like rules, the package is pure and its answers do not depend on the order of
// the resources.
package impact

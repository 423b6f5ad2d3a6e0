// Package access decides which clients of a mesh may connect to which inbounds, as the
// proxies do it: by the certificates of both sides, the mode of TLS and the permissions.
//
//	m, err := access.NewMesh(snapshot, "shop")
//	decision, err := m.Decide("web-1", access.Target{Dataplane: "checkout-1", Port: 8080})
//	fmt.Println(decision)    // denied by MeshTrafficPermission deny-web
//
// What the control plane lists as rules is not the decision: proxies ignore permissions in
// `from` beside `rules` and with a MeshIdentity, and clients without TLS are never checked
// (matching.md §7.5). Decisions are compared with the Envoy configuration of proxies
// (proxies.md §5).
//
// Certificate authorities are not compared: a client with a certificate is expected to be
// trusted. Neither are the health of proxies, and what a MeshProxyPatch changes.
package access

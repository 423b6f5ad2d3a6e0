// Package proxy computes what the proxies of a mesh have, as a release of Kuma generates it: the
// certificate, the outbounds through which an application reaches services, and who may connect.
//
//	m, err := proxy.New(snapshot, "shop")
//	decision, err := m.Decide("web-1", proxy.Target{Dataplane: "checkout-1", Port: 8080})
//	fmt.Println(decision)    // denied by MeshTrafficPermission deny-web
//	for _, o := range m.Outbounds("web-1").All {
//		fmt.Println(o.Port.Resource.Name, o.Port.Number)
//	}
//
// All analyses read these facts here, so that they do not contradict each other. What the control
// plane lists as rules is not what a proxy does: proxies ignore permissions in `from` beside
// `rules` and with a MeshIdentity, clients without TLS are never checked (matching.md §7.5), and
// a Dataplane without a transparent proxy has listeners for its outbounds only (matching.md §16).
// The facts are compared with the Envoy configuration of connected proxies (proxies.md §5).
//
// Certificate authorities are not compared: a certificate is expected to be trusted unless no
// MeshTrust can have its authority. Neither are the health of proxies, and what a MeshProxyPatch changes.
package proxy

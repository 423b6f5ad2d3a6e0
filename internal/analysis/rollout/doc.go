// Package rollout reads what a control plane knows about running proxies: whether
// they are connected and healthy, which configuration they have received and
// acknowledged, and until when their certificates are valid.
//
//	proxy, err := rollout.ReadProxy(kuma.KindDataplane, overview)
//	…
//	text := rollout.Summary(proxies)
//
// The package has no clock: every answer depends on the overviews alone
// (rest-api.md §17.1).
package rollout

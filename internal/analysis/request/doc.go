// Package request computes what happens to a request in a mesh: which route takes it, to
// which services and proxies it goes in which shares, which timeouts and retries apply and
// which policy sets them, and whether the proxies that receive it allow the client.
//
//	answer, err := request.New(snapshot).Send(request.Request{
//		Mesh: "shop", Dataplane: "storefront-1",
//		Service: request.Service{Name: "checkout", Port: 80},
//		Method: "GET", Path: "/orders",
//	})
//	fmt.Println(strings.Join(answer.Explanation, "\n"))
//
// Package rules computes the settings that policies give to proxies. This package follows
// the request through the proxies that have these settings, as the configuration that a
// control plane generates makes them do (matching.md §17).
//
// Like package rules it is pure: the same resources and the same request give the same
// answer. A request that cannot be decided has the verdict [Unknown] and says why.
package request

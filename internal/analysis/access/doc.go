// Package access shows which clients of a mesh may call which services, as the proxies decide
// it (package proxy), and who gains or loses access by a change.
//
//	mesh, err := proxy.New(snapshot, "shop")
//	matrix, err := access.Of(mesh, access.Filter{})
//	fmt.Println(matrix.Table())
package access

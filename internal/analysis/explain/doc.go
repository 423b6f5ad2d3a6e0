// Package explain describes the rules of a proxy: as text for plans and pull
// requests, as a diagram, and as warnings about settings that have no effect.
//
//	fmt.Println(explain.Text(answer))
//	// MeshRetry
//	//   to MeshService "backend"
//	//     http.numRetries = 1 ← impatient-frontend, overrides 5 of backend
//
// Package rules computes everything; this package contains no matching rules and no
// names of policy kinds. Like package rules it is pure: the same answer gives the
// same bytes. Texts and diagrams are bounded, and report how much they omit.
package explain

// Package explain tells people what the rules of a proxy mean: as a text that
// reads well in a plan and in a pull request, as a diagram for those who would
// rather look than read, and as warnings about what has no effect.
//
//	fmt.Println(explain.Text(answer))
//	// MeshRetry
//	//   to MeshService "backend"
//	//     http.numRetries = 1 ← impatient-frontend, overrides 5 of backend
//
// All is taken from package rules; there is no rule of matching in here, and no
// kind of policy is named. Like that package this one is pure, and the same
// answer gives the same bytes. Texts and diagrams are bounded, and say what they
// leave out.
package explain

// Package store reads and writes the resources of one control plane the way a
// careful client does, on top of the requests of package controlplane.
//
//   - What is read often is read in bulk, and remembered until it is written
//     ([Resources.Get], list_cache.go).
//   - Nothing is overwritten that the caller has not seen: a [Resources.Fingerprint]
//     identifies what somebody read, and a write compares it with what is stored
//     ([Resources.Replace], [Resources.Delete]). What the control plane, a later
//     release or another client wrote into a resource stays there.
//   - A write that failed and may have taken place all the same is looked at again
//     (outcome.go).
//   - What this control plane cannot do is known before it is asked to
//     ([Capabilities.Problems]).
//
// What goes wrong is an error of a type that says what happened: those of package
// controlplane and the ones in errors.go. The package knows no kind by name and
// nothing about Terraform.
//
//	s, err := store.Open(ctx, client, store.Options{})
//	…
//	services := s.Resources(kinds.MeshService)
//	web, err := services.Refresh(ctx, key)
//	fingerprint := services.Fingerprint(web)
//	…
//	written, err := services.Replace(ctx, store.Update{Resource: next, Fingerprint: fingerprint})
//	var changed *store.ChangedError
//	if errors.As(err, &changed) {
//		…
//	}
package store

// Package store reads and writes the resources of one control plane safely, on
// top of the requests of package controlplane.
//
//   - Many reads are answered from few list requests, which are cached until the
//     next write ([Resources.Get], list_cache.go).
//   - A write never replaces a version that the caller has not seen: a
//     [Resources.Fingerprint] identifies the version that was read, and a write
//     compares it with the stored one ([Resources.Replace], [Resources.Delete]).
//     Fields that the control plane, a later release or another client wrote are
//     kept.
//   - Writes of one resource follow each other within the process, so that nothing of it
//     is another client to itself ([Exclusively]).
//   - A write that failed and may nevertheless have been applied is checked by
//     reading the resource (outcome.go).
//   - Unsupported documents are reported before they are sent
//     ([Capabilities.Problems]).
//
// Each failure has a type that identifies what happened: those of package
// controlplane and the ones in errors.go. The package does not depend on
// particular kinds, nor on Terraform.
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

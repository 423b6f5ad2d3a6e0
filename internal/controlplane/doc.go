// Package controlplane is a client of the REST API of a Kuma control plane in
// universal mode.
//
// It uses the resources of package kuma, takes the paths of kinds from package
// def, and returns an error of a specific type for every failure: see
// [NotFoundError] for a missing resource and [UnknownKindError] for an unsupported
// kind. It does not depend on particular kinds, nor on Terraform.
//
//	client, err := controlplane.New(controlplane.Config{Endpoint: "http://localhost:5681"})
//	…
//	service, err := client.Get(ctx, kinds.MeshService, "default", "web")
//	var gone *controlplane.NotFoundError
//	if errors.As(err, &gone) {
//		…
//	}
//
// Requests are retried where that is safe. A write that failed and may nevertheless
// have been applied is an [UnknownOutcomeError], and one that ran into another
// write is a [ConflictError]. The caller resolves both by reading the resource, as
// package store does.
// No error, warning or log contains the token or a secret of a document.
package controlplane

// Package controlplane is a client of the REST API of a Kuma control plane in
// universal mode.
//
// It speaks of resources as package kuma does, takes the place of a kind in the
// API from package def, and turns every failure into a type that says what it
// means: see [NotFoundError] for what is gone and [UnknownKindError] for what
// the server never had. It knows no kind by name and nothing about Terraform.
//
//	client, err := controlplane.New(controlplane.Config{Endpoint: "http://localhost:5681"})
//	…
//	service, err := client.Get(ctx, kinds.MeshService, "default", "web")
//	var gone *controlplane.NotFoundError
//	if errors.As(err, &gone) {
//		…
//	}
//
// Requests are repeated where that helps and cannot harm. A write that failed and
// may have taken place all the same is an [UnknownOutcomeError], and one that met
// another write a [ConflictError]: both are for the caller to resolve by reading,
// as package store does.
// No error, warning or log ever holds the token, or what is secret in a document.
package controlplane

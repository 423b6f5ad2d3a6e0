// Package managed contains the resources: one generic resource for all kinds, which works
// on raw Terraform values and the description of a kind, and kuma_manifest for any
// document. Their data sources and list resources are here too.
//
//   - resource*.go is the resource of every kind, data_source.go its data source,
//     manifest*.go the resource of any document. plan_steps.go contains what the
//     plans of both share. list_resource.go and resources_*.go list resources.
//   - resource_client.go reads and writes for them through package store, and turns
//     its errors into diagnostics (write_errors.go).
//   - existing_resource.go handles resources that already exist, mesh_contents.go what a
//     mesh contains that is to be destroyed, private_state.go what a plan passes to its
//     apply.
package managed

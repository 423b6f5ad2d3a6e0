// Package provider is the Terraform face: the provider, one generic resource
// and one generic data source that work on raw Terraform values and the
// description of a kind, the data sources and functions that run the matching
// engine, and tokens.
//
// It holds no rule of Kuma. What a kind is comes from package kinds, what
// policies do from the packages rules, explain, impact and lint; this package
// translates between Terraform values and documents.
//
// Values and schemas come from packages tfvalue and tfschema. problems.go puts
// problems of documents on the attributes that they are about, errors.go those
// that a control plane reports.
//
// Between resources and the control plane:
//
//   - config.go and settings.go find out where it is, capabilities.go what it can
//     do, server.go speaks the plugin protocol.
//   - resource.go is the resource of every kind, data_source.go its data source,
//     manifest.go the resource of any document.
//   - remote.go reads and writes for them: nothing is overwritten unseen (seen.go),
//     and what is read often is read in bulk (stored.go).
//
// The analyses, effective_rules.go, policy_impact.go and mesh_lint.go with what
// belongs to them, and the functions of the same name, look at the world that
// world.go collects: what is stored or given, with what is planned on top.
// world_model.go holds the arguments that they share, computed.go the shapes of
// what they tell.
// token.go issues tokens.
package provider

// Package provider is the Terraform face: the provider, one generic resource
// and one generic data source that work on raw Terraform values and the
// description of a kind, the data sources and functions that run the matching
// engine, and tokens.
//
// It holds no rule of Kuma. What a kind is comes from package kinds, what
// policies do from the packages rules, explain, impact and lint; this package
// translates between Terraform values and documents.
//
// Values and schemas come from packages tfvalue and tfschema. document_problems.go puts
// problems of documents on the attributes that they are about, errors.go those
// that a control plane reports.
//
// Between resources and the control plane:
//
//   - provider_config.go and provider_connection.go find out where it is, server.go
//     speaks the plugin protocol.
//   - resource*.go is the resource of every kind, data_source.go its data source,
//     manifest*.go the resource of any document. What the plans of both kinds of
//     resources have in common is in plan_steps.go.
//   - resource_client.go reads and writes for them by way of package store, and
//     turns its errors into diagnostics (errors.go).
//   - run_state.go records what Terraform shows of its state in one plan or apply,
//     existing_resource.go decides what becomes of resources that exist already.
//
// The analyses are the data sources of effective_rules_*.go, policy_impact_*.go and
// mesh_lint_data_source.go. They look at what analysis_input.go collects for their
// common arguments: what is stored or given, with what is planned applied and what
// is removed left out. manifest_tree.go turns Terraform values into documents, which
// package document reads. function_*.go are the functions, ephemeral_token*.go
// issues tokens.
package provider

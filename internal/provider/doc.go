// Package provider is the Terraform provider: one generic resource and one generic
// data source that work on raw Terraform values and the description of a kind, the
// data sources and functions that run the matching engine, and tokens.
//
// It contains no rule of Kuma. Package kinds describes kinds, and the packages
// rules, explain, impact and lint evaluate policies; this package translates
// between Terraform values and documents.
//
// Values and schemas come from packages tfvalue and tfschema. document_problems.go
// reports problems of documents on their attributes, errors.go those that a control
// plane reports.
//
// Between resources and the control plane:
//
//   - provider_config.go and provider_connection.go read the provider configuration,
//     server*.go implements the plugin protocol: through the framework, or for frequent
//     requests directly (direct*.go).
//   - resource*.go is the resource of every kind, data_source.go its data source,
//     manifest*.go the resource of any document. plan_steps.go contains what the
//     plans of both kinds of resources share. list_*.go and resources_*.go list
//     resources.
//   - resource_client.go reads and writes for them through package store, and turns
//     its errors into diagnostics (errors.go).
//   - run_state.go records what Terraform shows of its state in one plan or apply,
//     existing_resource.go handles resources that already exist.
//
// The analyses are the data sources of effective_rules_*.go, policy_impact_*.go and
// mesh_lint_*.go. analysis_input.go collects the resources for their
// common arguments: the stored or given ones, with planned changes applied and
// without removed ones. manifest_tree.go turns Terraform values into documents,
// which package document reads. function_*.go are the functions,
// ephemeral_token*.go issues tokens.
package provider

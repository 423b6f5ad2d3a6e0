// Package provider is the Terraform face: the provider, one generic resource
// and one generic data source that work on raw Terraform values and the
// description of a kind, and the data sources that run the matching engine.
//
// It holds no rule of Kuma. What a kind is comes from package kinds, what
// policies do from package rules; this package translates between Terraform
// values and documents:
//
//   - schema.go derives schemas: blocks for what users write, attributes for
//     what is computed.
//   - encode.go turns Terraform values into documents.
//   - decode.go turns documents into Terraform values, with the prior value in
//     hand, and keeps the prior spelling where both mean the same.
//   - settle.go does the same between a plan and the state.
//   - token.go opens ephemeral resources; token_kinds.go declares them.
//   - problems.go puts problems of documents on the attributes they are about.
package provider

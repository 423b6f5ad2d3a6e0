// Package tfvalue turns Terraform values into documents and documents into
// Terraform values, for the schemas of package tfschema.
//
// [Encode] leaves out nulls and marks unknown values. [Decode] has the prior
// value in hand and keeps its spelling where both mean the same. [KeepSpelling]
// does so between a plan and the state. Values of any other shape, such as the
// document of a manifest, go through [ToTree] and [FromTree].
package tfvalue

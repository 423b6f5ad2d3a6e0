// Package tfvalue turns Terraform values into documents and documents into
// Terraform values, for the schemas of package tfschema.
//
// [Encode] omits nulls and marks unknown values. [Decode] keeps the form of the
// prior value where both are equivalent. [KeepSpelling] does the same between a
// plan and the state. Values of any other type, such as the document of a
// manifest, are converted by [ToTree] and [FromTree].
package tfvalue

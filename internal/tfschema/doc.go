// Package tfschema derives from the description of a kind how Terraform
// represents it: the schemas of its resource and data source, the names of
// attributes, their documentation, and the attribute that a path in a document
// stands for.
//
// What users write are nested blocks, what is computed are attributes. A secret
// has four attributes: a string, base64, and a write-only string with its
// version.
package tfschema

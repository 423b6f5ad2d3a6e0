// Package report turns problems of documents and errors of the connection into
// diagnostics, each on the attribute that it comes from. What may contain a secret is
// reported on the block: Terraform prints the lines of an attribute. It also reads the
// arguments of data sources, and writes their answers.
package report

// Package report turns problems of documents and errors of the connection into
// diagnostics, each on the attribute that it comes from. What may contain a secret is
// reported on the block: Terraform prints the lines of an attribute. It also contains the
// schemas of everything that is not about one kind: from the structs of arguments, which it
// reads, with their descriptions in arguments.md, and from those of answers, which it writes.
package report

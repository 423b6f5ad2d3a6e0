// Package answer contains the answers of the analyses as users get them. The structs are their
// only declaration: from their fields and tags, and from the descriptions in answers.md, follow
// the computed attributes of data sources, the results of functions and the JSON of the command.
package answer

// Command texts prints what people read in this repository: messages and
// descriptions (string literals of Go), comments, documents, and the strings and
// comments of examples, workflows and scripts. "make texts" runs it.
//
//	go run ./internal/texts                        # everything, by file and line
//	go run ./internal/texts -kind literal internal/kinds internal/def
//	go run ./internal/texts -findings              # what the glossary rules out
//
// Its test holds the repository to the glossary in CONTRIBUTING.md.
//
// Recorded data (testdata, except for its README files) and the generated pages
// in docs are left out.
package main

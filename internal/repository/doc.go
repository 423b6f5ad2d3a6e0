// Package repository tests the repository as a whole: imports, documents, links, comments and
// the action. Its tests run in the root of the repository.
package repository

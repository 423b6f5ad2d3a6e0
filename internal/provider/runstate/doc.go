// Package runstate records what one run of Terraform knows: which resources the state
// has, what the plan does with them, what the run has written, and which analyses it has
// read. Terraform sends requests about one resource at a time, in any order; the record
// connects them.
//
// It knows keys and fingerprints of resources only: neither the framework nor a control
// plane.
package runstate

// Package tfplan reads what a plan of Terraform or OpenTofu does to the resources of this
// provider, from the output of "terraform show -json".
package tfplan

// Package command makes the binary of the provider a command for people who have YAML
// documents and no Terraform: lint, impact, request and access.
//
// A command reads documents, calls the function of the provider with the same purpose,
// and writes its result as text or JSON, findings also as SARIF and JUnit. So it contains
// no analysis of its own.
package command

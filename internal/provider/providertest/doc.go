// Package providertest runs the provider in tests: [CLI] with Terraform or OpenTofu, [Core] and
// [Session] in process, over the plugin protocol. A [ControlPlane] is an embedded one, or the
// real one at KUMA_ENDPOINT.
package providertest

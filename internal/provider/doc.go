// Package provider is the Terraform provider: its configuration, the connection that
// follows from it, and the server of the plugin protocol.
//
// It contains no rule of Kuma. Package kinds describes kinds, and the packages
// rules, explain, impact and lint evaluate policies; the packages below this one
// translate between Terraform values and documents:
//
//   - managed contains the resources and lists, direct answers frequent requests about
//     them without the framework.
//   - analysis contains the data sources of analyses, functions the functions, token the
//     ephemeral resources. rollout contains the data sources and actions about
//     running proxies.
//   - connection is what they get from the configured provider, runstate the record of
//     one plan or apply, and report turns errors into diagnostics.
package provider

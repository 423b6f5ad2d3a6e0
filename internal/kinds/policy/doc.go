// Package policy describes what policies have in common: the reference to the
// proxies, the lists of settings for outgoing and incoming traffic, and what
// routes share, each with its rules.
//
//	Fields: def.Object{
//		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane),
//		policy.To(policy.Default(timeouts), kuma.KindMesh, kuma.KindMeshService),
//		policy.Rules("2.10", policy.Default(timeouts)),
//	},
package policy

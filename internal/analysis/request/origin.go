package request

import "github.com/kuma-universal/terraform-provider-kuma/internal/kuma"

// Origin is where a setting comes from: a policy, or a default.
type Origin string

// Origins of settings that no policy sets.
const (
	OfControlPlane Origin = "default of the control plane"
	OfProxy        Origin = "default of Envoy"
)

func setBy(policy kuma.Key) Origin { return Origin(policy.Local()) }

// Origin returns where a timeout comes from.
func (t Timeout) Origin() Origin {
	switch {
	case t.By != kuma.Key{}:
		return setBy(t.By)
	case t.ByProxy:
		return OfProxy
	default:
		return OfControlPlane
	}
}

// origin returns where the value of a path comes from.
func (l leaves) origin(path string, unset Origin) Origin {
	if leaf, ok := l[path]; ok {
		return setBy(leaf.SetBy.ResourceMeta.Key())
	}
	return unset
}

// ByField returns the origins of values that a retry has, by the names of the values.
func (o RetryOrigins) ByField() map[string]string {
	all := map[string]string{}
	for name, origin := range map[string]Origin{
		"attempts": o.Attempts, "conditions": o.On, "per_try_timeout": o.PerTry,
		"base_interval": o.Base, "max_interval": o.Max,
	} {
		if origin != "" {
			all[name] = string(origin)
		}
	}
	return all
}

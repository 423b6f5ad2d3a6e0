package tfschema

import (
	"maps"
	"slices"
	"strings"
)

// otherProviders are other providers for Kuma, with the prefix of their resource types.
var otherProviders = map[string]string{
	"kong/kong-mesh": "kong-mesh_",
	"kong/konnect":   "konnect_mesh",
	"kong/kuma":      "kuma_raw_resource",
}

// OtherPrefix returns the prefix of the types of resources of Kuma that another provider has, empty
// for a provider without any. The host of the registry does not matter.
func OtherPrefix(provider string) string {
	parts := strings.Split(provider, "/")
	return otherProviders[strings.Join(parts[max(0, len(parts)-2):], "/")]
}

// OtherPrefixes returns the prefixes of all providers of [OtherPrefix].
func OtherPrefixes() []string { return slices.Sorted(maps.Values(otherProviders)) }

package configuration

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// ImportID returns the import ID of a stored resource as its [ResourceType].
func ImportID(r kuma.Resource) string {
	if ResourceType(r) == ManifestType {
		return ManifestImportID(r.Key())
	}
	k, _ := kinds.Find(r.Type)
	return KindImportID(k, r.Mesh, r.Name)
}

// KindImportID returns the import ID for the resource of a kind: MESH/NAME, or NAME
// for kinds outside meshes.
func KindImportID(k def.Kind, mesh, name string) string {
	if k.Scope == def.Global {
		return name
	}
	return mesh + "/" + name
}

// ManifestImportID returns the import ID for a kuma_manifest: TYPE/MESH/NAME, or
// TYPE/NAME for kinds outside meshes.
func ManifestImportID(key kuma.Key) string {
	if key.Mesh == "" {
		return key.Type + "/" + key.Name
	}
	return strings.Join([]string{key.Type, key.Mesh, key.Name}, "/")
}

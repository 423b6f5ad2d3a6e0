package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Secret is a value that only administrators may read.
var Secret = def.Kind{
	Name: "Secret", Path: "secrets",
	Flat: true, ZoneOwned: kuma.Always(), GlobalOwned: true,
	Undeletable: "If the mesh uses the Secret, remove its backend from mtls of the mesh and apply that change first. " +
		"To destroy both the mesh and its Secrets, remove mtls, apply, and then destroy.",
	Doc: "A value that only administrators can read, such as the key of a certificate authority. " +
		"It cannot be deleted while the mesh uses it for mutual TLS, and it is not deleted with its mesh.",
	Use: "Use it for certificates, keys and tokens that resources of the mesh refer to. " +
		"For secrets outside of any mesh use `kuma_global_secret`.",
	Page:   "production/secure-deployment/secrets",
	Fields: secretFields,
}

// GlobalSecret is a Secret outside meshes.
var GlobalSecret = def.Kind{
	Name: "GlobalSecret", Path: "globalsecrets", Scope: def.Global,
	Flat: true, ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc:    "A value outside of any mesh that only administrators can read, such as the key that signs user tokens.",
	Use:    "Use it for keys that do not belong to a mesh. For the secrets of a mesh use `kuma_secret`.",
	Page:   "production/secure-deployment/secrets",
	Fields: secretFields,
}

var secretFields = def.Object{
	{Name: "data", Type: def.Secret{}, Doc: "The secret value."},
}

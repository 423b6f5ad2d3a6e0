package provider

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
)

// TypeName returns the name of the resource and data source of a kind.
func TypeName(kind string) string { return "kuma_" + def.AttributeName(kind) }

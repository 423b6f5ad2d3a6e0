package object

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TLSVersions describes a range of versions of TLS.
var TLSVersions = def.Object{tlsVersion("min", "Minimum version."), tlsVersion("max", "Maximum version.")}

const tlsAuto = "TLSAuto"

func tlsVersion(name, doc string) def.Field {
	return def.Field{
		Name: name, Type: def.String, OneOf: []string{tlsAuto, "TLS10", "TLS11", "TLS12", "TLS13"}, Default: tlsAuto,
		Doc: doc + " With `TLSAuto` the proxy decides.",
	}
}

// TLSVersionsInOrder checks that a range of versions is not empty.
var TLSVersionsInOrder = def.Check{
	Doc: "`min` must not be above `max`.",
	Test: func(n tree.Node) []def.Problem {
		low, _ := n.Get("min").Text()
		high, ok := n.Get("max").Text()
		if !ok || low == tlsAuto || high == tlsAuto || low <= high { // the names sort like the versions
			return nil
		}
		return []def.Problem{def.ErrorAt(n.Get("min"), "Invalid range of versions",
			fmt.Sprintf("The minimum version %s is above the maximum version %s. Lower \"min\", or raise \"max\".", low, high))}
	},
}

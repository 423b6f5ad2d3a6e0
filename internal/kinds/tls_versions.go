package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// tlsVersions describes a range of versions of TLS.
var tlsVersions = spec.Object{tlsVersion("min", "Lowest version."), tlsVersion("max", "Highest version.")}

const tlsAuto = "TLSAuto"

func tlsVersion(name, doc string) spec.Field {
	return spec.Field{
		Name: name, Type: spec.String, OneOf: []string{tlsAuto, "TLS10", "TLS11", "TLS12", "TLS13"}, Default: tlsAuto,
		Doc: doc + " `TLSAuto`, which holds when unset, leaves it to the proxy.",
	}
}

// tlsVersionsInOrder checks that a range of versions is not empty.
var tlsVersionsInOrder = spec.Check{
	Doc: "`min` is not above `max`.",
	Test: func(n spec.Node) []spec.Problem {
		low, _ := n.Get("min").Text()
		high, ok := n.Get("max").Text()
		if !ok || low == tlsAuto || high == tlsAuto || low <= high { // the names sort like the versions
			return nil
		}
		return []spec.Problem{n.Get("min").Problem("No version is left", fmt.Sprintf("%s is above the highest version, %s. Lower \"min\", or raise \"max\".", low, high))}
	},
}

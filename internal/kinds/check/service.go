package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Protocols are those that a proxy understands.
var Protocols = []string{"tcp", "http", "http2", "grpc", "kafka"}

// StoredPort checks the bounds of the schema, which the documentation omits
// because they are not those of a port.
var StoredPort = def.Check{Test: def.Limit(math.MinInt32, math.MaxInt32).Test}

// HasServiceTag reports whether tags may name a service: they contain the tag,
// even with an empty value, or are unknown.
func HasServiceTag(tags tree.Node) bool { return tags.Unknown() || tags.Has(kuma.TagService) }

// ServiceProtocol checks the protocol of a port, which Kuma 3.0 compares without regard to
// case.
var ServiceProtocol = def.InKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || slices.Contains(serviceProtocols, strings.ToLower(s)) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid protocol", fmt.Sprintf("%q is not a valid protocol since Kuma 3.0. %s", s, phrase.Allowed(serviceProtocols, s)))}
}})

var serviceProtocols = []string{"grpc", "http", "http2", "tcp"}

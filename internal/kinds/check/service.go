package check

import (
	"math"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Protocols are the protocols that a port of a service can have.
var Protocols = []string{"tcp", "http", "http2", "grpc", "kafka"}

// InboundProtocol checks the protocol of an inbound, a field or a tag.
var InboundProtocol = def.OneOf("tcp", "tls", "http", "http2", "grpc", "kafka", "mysql").AnyCase()

// UnservedProtocol returns the protocol of an inbound, its field or else its tag, if a control plane accepts it, but then
// generates no configuration for the proxy (validation.md, Dataplane).
func UnservedProtocol(inbound tree.Node) (protocol tree.Node, unserved bool) {
	protocol = inbound.Get("protocol")
	if protocol.Empty() {
		protocol = inbound.Get("tags", kuma.TagProtocol)
	}
	s, _ := protocol.Text()
	return protocol, slices.Contains([]string{"tls", "mysql"}, strings.ToLower(s))
}

// StoredPort checks the bounds of the schema. The documentation omits them, because they allow
// more than a port can be.
var StoredPort = def.Check{Test: def.Limit(math.MinInt32, math.MaxInt32).Test}

// HasServiceTag reports whether tags may name a service: they contain the tag,
// even with an empty value, or are unknown.
func HasServiceTag(tags tree.Node) bool { return tags.Unknown() || tags.Has(kuma.TagService) }

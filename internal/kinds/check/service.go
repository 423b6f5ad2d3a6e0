package check

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Protocols are those that a proxy understands.
var Protocols = []string{"tcp", "http", "http2", "grpc", "kafka"}

// StoredPort checks the bounds of the schema, which the documentation leaves out
// because they are none of a port.
var StoredPort = def.Check{Test: def.Limit(math.MinInt32, math.MaxInt32).Test}

// HasServiceTag reports whether tags may name a service: they have the tag, be it
// empty, or are unknown.
func HasServiceTag(tags tree.Node) bool { return tags.Unknown() || tags.Has(kuma.TagService) }

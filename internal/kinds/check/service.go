package check

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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

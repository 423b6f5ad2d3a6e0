package embedded

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// overviewPath follows the path of a list of resources that have proxies.
const overviewPath = "_overview"

// overviewed reports whether the resources of a kind have proxies.
func overviewed(k def.Kind) bool {
	return k.Name == kinds.Dataplane.Name || k.Name == kinds.ZoneIngress.Name || k.Name == kinds.ZoneEgress.Name
}

// encodeOverview returns the overview of a proxy that has never connected: none connects
// to this control plane. It has no insight (rest-api.md §17.1).
func encodeOverview(k def.Kind, r kuma.Resource) object {
	body := r.Body
	r.Body = nil
	document := encodeDocument(k, r)
	document[0].value = r.Type + "Overview"
	return append(document, field{strings.ToLower(r.Type[:1]) + r.Type[1:], body})
}

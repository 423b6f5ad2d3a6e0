package embedded

import (
	"net/http"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Paths that follow those of resources that have proxies.
const (
	overviewPath = "_overview" // of a list
	configPath   = "_config"   // of a Dataplane
)

// config returns the operation that reads the configuration of a proxy. There is none:
// no proxy has connected.
func (i item) config() route {
	return route{http.MethodGet: {"Failed to fetch dataplane insight", func(*http.Request) (int, any, error) {
		if _, err := i.within(); err != nil {
			return 0, nil, err
		}
		return 0, nil, errNotFound
	}}}
}

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

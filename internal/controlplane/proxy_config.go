package controlplane

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ProxyConfig reads the Envoy configuration that the control plane would send to the proxy
// of a Dataplane now, in the field xds, by type and name (rest-api.md §17.2). With shadow,
// shadow policies are in effect, and the field diff is a JSON patch of what they change. A
// proxy that has never connected, or a Dataplane that does not exist, is a [NotFoundError].
// A [ServerError] with status 500 reports that the control plane cannot generate the
// configuration, and a [NotAllowedError] that it is a global one.
func (c *Client) ProxyConfig(ctx context.Context, meshName, dataplane string, shadow bool) (map[string]any, error) {
	query := url.Values{}
	if shadow {
		query.Set("shadow", "true")
		query.Set("include", "diff")
	}
	steps := []string{meshesPath, meshName, "dataplanes", dataplane, configPath}
	if err := checkSteps(http.MethodGet, steps); err != nil {
		return nil, err
	}
	got, err := c.do(computed(ctx), http.MethodGet, nil, query, steps...)
	if err != nil {
		return nil, err
	}
	v, err := tree.DecodeJSON(got.body)
	if err != nil {
		return nil, got.unreadable(err)
	}
	answer := tree.Object(v)
	if tree.Object(answer["xds"]) == nil {
		return nil, got.unexpected("the response has no field xds")
	}
	return answer, nil
}

// configPath follows the path of a Dataplane.
const configPath = "_config"

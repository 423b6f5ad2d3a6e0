package controlplane

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Overview is a proxy as the control plane knows it (rest-api.md §17.1).
type Overview struct {
	Document map[string]any
	// At is when the server answered, by its own clock; zero if it does not say.
	At time.Time
}

// Overviews reads the overviews of the proxies of a kind in one mesh, or in all when
// meshName is empty, page by page, sorted by mesh and name. A mesh that does not exist is
// a [NotFoundError], and a kind without overviews an [UnknownKindError]. An error ends the
// sequence.
func (c *Client) Overviews(ctx context.Context, k def.Kind, meshName string) iter.Seq2[Overview, error] {
	return func(yield func(Overview, error) bool) {
		seen := map[[2]string]bool{}
		for item, err := range c.items(ctx, append(listPath(k, meshName), overviewPath)...) {
			document := tree.Object(item.document)
			if err == nil && document == nil {
				err = item.from.unexpected("an element of the list is not an object")
			}
			key := [2]string{tree.Text(document["mesh"]), tree.Text(document["name"])}
			if err == nil && seen[key] {
				continue
			}
			seen[key] = true
			if !yield(Overview{document, item.from.date}, err) || err != nil {
				return
			}
		}
	}
}

// Delays are how long a control plane takes, see rest-api.md §17.1.
type Delays struct {
	Configuration time.Duration // until it sends a change to the proxies, if it is not overloaded
	Overview      time.Duration // until an overview shows how a proxy answered
}

// Delays reads how long the control plane takes to send a change, and to show it.
func (c *Client) Delays(ctx context.Context) (Delays, error) {
	var config struct {
		XDSServer struct {
			DataplaneConfigurationRefreshInterval string
			DataplaneStatusFlushInterval          string
		}
	}
	if _, err := c.read(ctx, &config, "config"); err != nil {
		return Delays{}, err
	}
	duration := func(text string, usual time.Duration) time.Duration {
		if d, err := time.ParseDuration(text); err == nil && d > 0 {
			return d
		}
		return usual // the embedded control plane has no such settings
	}
	return Delays{
		Configuration: duration(config.XDSServer.DataplaneConfigurationRefreshInterval, time.Second),
		Overview:      duration(config.XDSServer.DataplaneStatusFlushInterval, 10*time.Second),
	}, nil
}

// Configuration reads the configuration of the control plane, in which secrets are hidden.
func (c *Client) Configuration(ctx context.Context) (config map[string]any, err error) {
	_, err = c.read(ctx, &config, "config")
	return config, err
}

// overviewPath follows the path of a list or of a resource.
const overviewPath = "_overview"

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

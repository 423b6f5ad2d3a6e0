package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Info describes a control plane.
type Info struct {
	kuma.ControlPlane
	// Installation is the cluster ID, followed by the name of a federated zone, which has the cluster
	// ID of its global control plane. It is empty if the server has none.
	Installation string

	Product  string // "Kuma", or a product built on it
	Version  string // "2.14.3"; "unknown" in test builds
	ReadOnly bool   // the API accepts no writes
}

// product is Kuma itself. Products built on it have their own release
// numbers, which say nothing about Kuma's.
const product = "Kuma"

// Discover asks the server what it is. An invalid token is an [UnauthorizedError].
// Call it first: a server that cannot be reached is an [UnreachableError]
// within a few seconds, whereas other requests wait for a server that restarts.
func (c *Client) Discover(ctx context.Context) (Info, error) {
	var index struct{ Product, Version, ClusterID string }
	got, err := c.read(firstContact(ctx), &index)
	if err != nil {
		return Info{}, err
	}
	if index.Product == "" {
		return Info{}, got.unexpected("the response does not name a product")
	}
	var config struct {
		Mode        string
		Environment string
		Multizone   struct {
			Zone struct{ Name, GlobalAddress string }
		}
		APIServer struct{ ReadOnly bool }
		Defaults  struct{ RestrictOutbound *bool }

		Experimental struct{ InboundTagsDisabled bool }
	}
	if _, err := c.read(ctx, &config, "config"); err != nil {
		return Info{}, err
	}
	info := Info{
		ControlPlane: kuma.ControlPlane{
			Mode: config.Mode, Embedded: c.inProcess, Kubernetes: config.Environment == "kubernetes",
			InboundTagsDisabled: config.Experimental.InboundTagsDisabled,
		},
		Installation: index.ClusterID,
		Product:      index.Product,
		Version:      index.Version,
		ReadOnly:     config.APIServer.ReadOnly,
	}
	if restrict := config.Defaults.RestrictOutbound; restrict != nil {
		info.RestrictOutbound = strconv.FormatBool(*restrict)
	}
	if info.Product == product {
		info.Release = kuma.ParseRelease(info.Version)
	}
	if info.Release == (kuma.Release{}) {
		listed, err := c.Kinds(ctx)
		if err != nil {
			return Info{}, err
		}
		info.Release = kuma.ReleaseWith(phrase.Each(listed, func(k ListedKind) string { return k.Name }))
	}
	if info.Mode == kuma.ModeZone { // a global control plane reports a default zone name too
		info.Zone = config.Multizone.Zone.Name
		if info.Federated = config.Multizone.Zone.GlobalAddress != ""; info.Federated && info.Installation != "" {
			info.Installation += "/" + info.Zone
		}
	}
	return info, nil
}

// ListedKind is a kind as a server lists it.
type ListedKind struct {
	def.Kind
	ReadOnly bool // only the server creates its resources
}

// Kinds returns the kinds that the server supports, sorted by name. Their
// fields and [def.Kind.Flat] are not set, because the server does not describe
// them.
func (c *Client) Kinds(ctx context.Context) ([]ListedKind, error) {
	var list struct {
		Resources []struct {
			Name, Path, ShortName, Scope string
			ReadOnly                     bool
		}
	}
	if _, err := c.read(ctx, &list, "_resources"); err != nil {
		return nil, err
	}
	out := make([]ListedKind, len(list.Resources))
	for i, r := range list.Resources {
		out[i] = ListedKind{def.Kind{Name: r.Name, Path: r.Path, ShortName: r.ShortName}, r.ReadOnly}
		if r.Scope == "Global" {
			out[i].Scope = def.Global
		}
	}
	return out, nil
}

// read decodes a response into a Go value.
func (c *Client) read(ctx context.Context, into any, steps ...string) (reply, error) {
	got, err := c.do(ctx, http.MethodGet, nil, nil, steps...)
	if err != nil {
		return got, err
	}
	if err := json.Unmarshal(got.body, into); err != nil {
		return got, got.unreadable(err)
	}
	return got, nil
}

func (r reply) unreadable(err error) error {
	return r.unexpected("the response is not a valid document (%v)", err)
}

func (r reply) unexpected(format string, args ...any) error {
	return &UnexpectedAnswerError{Call: r.call, Status: r.status, Reason: r.attempts.secrets.mask(fmt.Sprintf(format, args...))}
}

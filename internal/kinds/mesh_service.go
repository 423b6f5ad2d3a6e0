package kinds

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshService is a service inside a zone: proxies, and the ports they offer.
var MeshService = def.Kind{
	Name: "MeshService", Path: "meshservices", ShortName: "msvc",
	ZoneOwned: true, Status: true,
	Doc: "A service of one zone: the proxies that provide it, and the ports under which clients reach them. " +
		"On a zone control plane only; it can also be generated from Dataplanes (see `mesh_services` of a Mesh).",
	Fields: def.Object{
		{
			Name: "state", Type: def.String, OneOf: []string{"Available", "Unavailable"}, Default: "Unavailable", ServerOwned: true,
			Doc: "Whether at least one proxy provides the service in good health. The control plane finds out by itself within seconds, and starts with `Unavailable` when unset.",
		},
		{
			Name: "selector", Default: map[string]any{}, Type: serviceSelector,
			Doc:    "The proxies that provide the service. When unset, or without a member, no proxy does.",
			Checks: def.Checks(def.AtMostOneOf("dataplaneTags", "dataplaneRef", "dataplaneLabels")),
		},
		{
			Name: "ports", DropsEmpty: true, Type: def.List{Elem: servicePort}, Design: def.Checks(def.Unique("port")),
			Doc: "The ports under which clients reach the service. Without any, nothing can be reached.",
		},
		{
			Name: "identities", ServerOwned: true, Type: def.List{Elem: serviceIdentity},
			Doc: "The identities that clients accept from the proxies of the service. The control plane collects them from the proxies within seconds.",
		},
	},
	Checks: def.Checks(check.ShortName(check.DisplayName), check.DNSLabelName(check.DisplayName), check.ServerNames),
	Design: def.Checks(serviceIsReachable),
}

var serviceSelector = def.Object{
	{
		Name: "dataplaneTags", Type: def.StringMap{}, EmptyIsAbsent: true,
		Doc: "Tags that an inbound must all carry.",
	},
	{Name: "dataplaneRef", Doc: "One proxy by name.", Type: def.Object{
		{Name: "name", Type: def.String, RefersTo: kuma.KindDataplane, Doc: "Name of the Dataplane."},
	}},
	{Name: "dataplaneLabels", Since: "2.14", Doc: "Proxies by the labels of their Dataplane.", Type: def.Object{
		{Name: "matchLabels", Type: def.StringMap{}, Doc: "Labels that a Dataplane must all carry."},
	}},
}

var servicePort = def.Object{
	{
		Name: "name", Type: def.String, Design: def.Checks(portIsNamed),
		Doc: "Name of the port, by which `section_name` of a reference selects it. Without a name the port number does.",
	},
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(check.StoredPort), Design: def.Checks(def.Between(1, check.MaxPort)),
		Doc: "Port number that clients use, from 1 to 65535 and each only once.",
	},
	{
		Name: "targetPort", Type: def.IntOrString, ZeroBefore: "2.14",
		Doc: "Port number or name of the inbound behind the port. The same number as `port` when unset.",
	},
	{
		Name: "appProtocol", Type: def.String, Default: "tcp", Design: def.Checks(knownProtocol),
		Doc: "Protocol of the traffic: `tcp`, `http`, `http2`, `grpc` or `kafka`. It is `tcp` when unset, and routes, retries and other HTTP features need one of the HTTP protocols.",
	},
}

var serviceIdentity = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"ServiceTag", "SpiffeID"}, SinceOf: map[string]string{"SpiffeID": "2.12"},
		Doc: "Kind of identity: the value of the tag `kuma.io/service`, or a SPIFFE ID.",
	},
	{Name: "value", Type: def.String, Required: true, Doc: "The identity."},
}

// serviceIsReachable warns of a service that no proxy provides, or that has no
// port.
var serviceIsReachable = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
	selector, ports := n.Get("selector"), n.Get("ports")
	if selector.Empty() {
		problems = append(problems, def.WarningAt(selector, "No proxy provides the service", "A selector without a member selects nothing. Add dataplaneTags, dataplaneRef or dataplaneLabels."))
	}
	if ports.Empty() {
		problems = append(problems, def.WarningAt(ports, "The service has no port", "Clients reach a service under its ports. Add one."))
	}
	return problems
}}

// portIsNamed warns of a name that selects no port.
var portIsNamed = def.Check{Test: func(n tree.Node) []def.Problem {
	if !n.Known() || !n.Empty() {
		return nil
	}
	return []def.Problem{def.WarningAt(n, "The name is empty", "A port without a name is selected by its number. Leave the name out, or give one.")}
}}

// knownProtocol warns of a protocol that is handled as plain TCP.
var knownProtocol = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || slices.Contains(check.Protocols, s) {
		return nil
	}
	return []def.Problem{def.WarningAt(n, "Unknown protocol", fmt.Sprintf("Proxies do not understand %q and handle the traffic as plain TCP. They know %s.%s", s, phrase.And(check.Protocols...), phrase.Suggest(s, check.Protocols)))}
}}

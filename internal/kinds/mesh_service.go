package kinds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshService is a service inside a zone: proxies, and the ports they offer.
var MeshService = def.Kind{
	Name: "MeshService", Path: "meshservices", ShortName: "msvc",
	ZoneOwned: kuma.Always(), Status: true,
	Doc: "A service in one zone: the proxies that provide it, and the ports under which clients reach them. " +
		"The control plane can also generate it from Dataplanes (see `mesh_services` of `kuma_mesh`).",
	Use: "Use it to define the services of a zone explicitly, for example with other ports. " +
		"Unless `mesh_services.mode` of the mesh is `Disabled`, the control plane generates a MeshService for each value of the tag " +
		"`kuma.io/service` that has none. A `kuma_mesh_service` with the same name replaces the generated one. " +
		"For services that span zones use `kuma_mesh_multi_zone_service`.",
	Page: "networking/meshservice",
	Fields: def.Object{
		{
			Name: "state", Type: def.String, OneOf: []string{"Available", "Unavailable"}, Default: "Unavailable", ServerOwned: true,
			Doc: "Whether at least one healthy proxy provides the service.",
		},
		{
			Name: "selector", Default: map[string]any{}, Type: serviceSelector,
			Doc:    "The proxies that provide the service. An empty selector selects none.",
			Checks: def.Checks(def.AtMostOneOf("dataplaneTags", "dataplaneRef", "dataplaneLabels")),
		},
		{
			Name: "ports", DropsEmpty: kuma.Always(), Type: def.List{Elem: servicePort}, Design: def.Checks(def.Unique("port")),
			Doc: "Ports under which clients reach the service. Without ports, the service cannot be reached.",
		},
		{
			Name: "identities", ServerOwned: true, Type: def.List{Elem: serviceIdentity},
			Doc: "Identities that clients accept from the proxies of the service. The control plane collects them from the proxies within seconds.",
		},
	},
	Checks: def.Checks(check.ShortName(check.DisplayName), check.DNSLabelName(check.DisplayName), check.ServerNames, selectorOf3),
	Design: def.Checks(serviceIsReachable),
}

var serviceSelector = def.Object{
	{
		Name: "dataplaneTags", Type: def.StringMap{}, EmptyIsAbsent: true, Removed: def.RemovedIn3("Kuma 3.0 has no tags. Use dataplaneLabels."),
		Doc: "Tags that an inbound must have.",
	},
	{Name: "dataplaneRef", Doc: "Selects a single proxy by name.", Type: def.Object{
		{Name: "name", Type: def.String, DropsEmpty: kuma.Always(), RefersTo: kuma.KindDataplane, Doc: "Name of the Dataplane."},
	}},
	{Name: "dataplaneLabels", Since: "2.14", Doc: "Selects proxies by the labels of their Dataplane.", Type: def.Object{
		def.StringMap{}.Field("matchLabels", "Labels that a Dataplane must have."),
	}},
}

var servicePort = def.Object{
	{
		Name: "name", Type: def.String, Design: def.Checks(portIsNamed),
		Doc: "Name of the port. References select it with `section_name`. A port without a name is selected by its number.",
	},
	clientPort,
	{
		Name: "targetPort", Type: def.IntOrString, ZeroForAbsent: kuma.Before("2.14"),
		Doc: "Port number or name of the inbound behind the port. Without it, the port has no endpoints, and requests fail.",
	},
	{
		Name: "appProtocol", Type: def.String, Default: "tcp", Checks: def.Checks(protocolOf3),
		Design: def.Checks(lowerCaseProtocol, knownProtocol),
		Doc: "Protocol of the traffic: `tcp`, `http`, `http2`, `grpc` or `kafka`. " +
			"Routes, retries and other HTTP features require an HTTP protocol.",
	},
}

// clientPort is the number of a port of a service.
var clientPort = def.Field{
	Name: "port", Type: def.Int, Required: true, Checks: def.Checks(check.StoredPort), Design: def.Checks(def.Between(1, check.MaxPort)),
	Doc: "Port number that clients use, from 1 to 65535. Must be unique.",
}

var serviceIdentity = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"ServiceTag", "SpiffeID"}, SinceOf: map[string]string{"SpiffeID": "2.12"},
		RemovedOf: map[string]def.Removal{"ServiceTag": def.RemovedIn3(
			"Remove the identity: the control plane adds the SPIFFE IDs of the proxies.")},
		Doc: "Type of the identity: a value of the tag `kuma.io/service`, or a SPIFFE ID.",
	},
	def.String.Required("value", "The identity."),
}

// selectorOf3 warns about a service that selects no proxies, as Kuma 3.0 does.
var selectorOf3 = def.InKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	selector := n.Get("selector")
	isSet := func(field string) bool { return !selector.Get(field).Absent() }
	selects := slices.ContainsFunc([]string{"dataplaneRef", "dataplaneLabels", "dataplaneTags"}, isSet)
	return def.WarningIf(!selects && !selector.Unknown(), selector, "Selector selects no proxies",
		"A service without a selector matches no proxies. Set dataplaneRef or dataplaneLabels.")
}})

// serviceIsReachable warns about a service that no proxy provides, or that has
// no port.
var serviceIsReachable = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
	selector, ports := n.Get("selector"), n.Get("ports")
	if selector.Empty() {
		problems = append(problems, def.WarningAt(selector, "Selector selects no proxies",
			"An empty selector selects nothing. Set dataplaneTags, dataplaneRef or dataplaneLabels."))
	}
	if ports.Empty() {
		problems = append(problems, def.WarningAt(ports, "Service has no ports",
			"Clients reach a service under its ports. Add at least one port."))
	}
	numbers := phrase.Each(ports.Items(), func(port tree.Node) int { return tree.Int(port.Get("port").Value()) })
	for i, port := range ports.Items() {
		number, err := strconv.Atoi(tree.Text(port.Get("name").Value()))
		if other := slices.Index(numbers, number); err == nil && other >= 0 && number != numbers[i] {
			problems = append(problems, def.WarningAt(port.Get("name"), "Name is the number of another port",
				"Control planes mix up the two ports: one of them has no listener, or both get the requests for one. Use another name."))
		}
		if target := port.Get("targetPort"); port.Known() && !target.Unknown() && target.Empty() {
			problems = append(problems, def.WarningAt(target, "Port has no endpoints",
				"Without targetPort, which has no default, no inbound is behind the port, and requests fail. "+
					"Set it to the number or name of the inbound."))
		}
	}
	return problems
}}

// portIsNamed warns about a name that selects no port.
var portIsNamed = def.Text(func(s string) bool { return s != "" }, "Empty name",
	"The name must not be empty. Set a name, or omit it to select the port by its number.").Warn()

// protocolOf3 rejects a protocol that Kuma 3.0 does not have, in any case of letters.
var protocolOf3 = def.InKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	protocols := []string{"grpc", "http", "http2", "tcp"}
	s, ok := n.Text()
	if !ok || slices.Contains(protocols, strings.ToLower(s)) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid protocol",
		fmt.Sprintf("%q is not a valid protocol since Kuma 3.0. %s", s, phrase.Allowed(protocols, s)))}
}})

// lowerCaseProtocol rejects a protocol for which clients get no listener that forwards anything (validation.md, MeshService).
var lowerCaseProtocol = def.Check{Test: func(n tree.Node) []def.Problem {
	s, _ := n.Text()
	lower := strings.ToLower(s)
	return def.ErrorIf(s != lower && slices.Contains(check.Protocols, lower), n, "Protocol in upper case",
		"Clients cannot reach a port with protocol %q, for which their proxies forward nothing. Write %q.", s, lower)
}}

// knownProtocol rejects one, too, which Kuma 3.0 does not store.
var knownProtocol = def.BeforeKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || slices.Contains(check.Protocols, strings.ToLower(s)) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Unknown protocol",
		fmt.Sprintf("Clients cannot reach a port with protocol %q, for which their proxies forward nothing. Supported protocols: %s.%s", s,
			phrase.And(check.Protocols...), phrase.Suggest(s, check.Protocols)))}
}})

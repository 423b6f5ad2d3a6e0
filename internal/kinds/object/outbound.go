package object

import (
	"fmt"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Outbounds are the services that an application consumes.
var Outbounds = def.Field{
	Name: "outbound", Type: def.List{Elem: outbound}, Checks: def.Checks(def.Each(outboundTarget)),
	Doc: "The services that the application consumes, where traffic is not redirected transparently. Not with a builtin gateway.",
}

// TransparentProxying says how traffic is redirected to a proxy.
var TransparentProxying = def.Field{Name: "transparentProxying", SnakeCase: true, Type: transparentProxyingSettings, Doc: "How traffic is redirected to the proxy transparently. It is not when unset."}

var outbound = def.Object{
	{
		Name: "address", Type: def.String, Checks: def.Checks(check.IPAddress),
		Doc: "IP address on which the application finds the service. It is `127.0.0.1` when unset.",
	},
	{
		Name: "port", Type: def.Int, Required: true, Checks: def.Checks(check.Unsigned(1, check.MaxPort)),
		Doc: "Port on which the application finds the service.",
	},
	{
		Name: "tags", Type: def.StringMap{}, Checks: def.Checks(def.TagValues()),
		Doc: "The service by its tags, `kuma.io/service` among them. Not together with `backend_ref`.",
	},
	{Name: "backendRef", Doc: "The service by reference. Not together with `tags`.", Type: def.Object{
		serviceKind,
		{Name: "name", Type: def.String, Doc: "Name of the object. It or `labels` is needed."},
		{
			Name: "port", Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
			Doc: "Port of the object. It is needed for all kinds but MeshExternalService.",
		},
		{Name: "labels", Type: def.StringMap{}, Doc: "Labels that the object carries. The oldest is taken where several do."},
	}},
}

// serviceKind is the kind of a service that a proxy consumes.
var serviceKind = def.Field{
	Name: "kind", Type: def.String, Required: true,
	Checks: def.Checks(def.OneOf(kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)),
	Doc:    "Kind of the object.",
}

var transparentProxyingSettings = def.Object{
	{
		Name: "redirectPortInbound", SnakeCase: true, Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
		Doc: "Port of the proxy that incoming traffic is redirected to.",
	},
	{
		Name: "redirectPortOutbound", SnakeCase: true, Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
		Doc: "Port of the proxy that outgoing traffic is redirected to.",
	},
	{
		Name: "directAccessServices", SnakeCase: true, Type: def.List{Elem: def.String},
		Doc: "Values of `kuma.io/service` whose instances the application calls by their own addresses, or `*` for all. None when unset.",
	},
	{
		Name: "reachableServices", SnakeCase: true, Type: def.List{Elem: def.String},
		Doc: "Values of `kuma.io/service` that the application consumes; the proxy learns of no others. It learns of all when unset.",
	},
	{
		Name: "ipFamilyMode", SnakeCase: true, Type: def.String, OneOf: []string{"UnSpecified", "DualStack", "IPv4", "IPv6"}, Default: "UnSpecified",
		Doc: "Versions of IP whose traffic is redirected. It is `UnSpecified` when unset, which means both.",
	},
	{Name: "reachableBackends", SnakeCase: true, Doc: "The services that the application consumes, by reference; the proxy learns of no others. It learns of all when unset.", Type: def.Object{
		{
			Name: "refs", Doc: "References to the services. An empty `reachable_backends` means none.", Checks: def.Checks(def.Each(reachableBackend)),
			Type: def.List{Elem: def.Object{
				serviceKind,
				{Name: "name", Type: def.String, Checks: def.Checks(objectName), Doc: "Name of the object. It or `labels` is needed."},
				{Name: "namespace", Type: def.String, EmptyIsAbsent: true, Design: def.Checks(def.KubernetesOnly()), Doc: "Kubernetes namespace of the object, next to `name`."},
				{
					Name: "port", Type: def.Int, Distinct: true, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
					Doc: "Port of the object. All its ports when unset.",
				},
				{Name: "labels", Type: def.StringMap{}, Doc: "Labels that the objects carry. Not together with `name` or `namespace`."},
			}},
		},
	}},
}

var objectName = def.Check{Test: func(n tree.Node) []def.Problem {
	if s, ok := n.Text(); ok && s != "" && !kuma.IsDNSSubdomain(s) {
		return []def.Problem{def.ErrorAt(n, "Invalid name", fmt.Sprintf("%q is no name of an object: use lower case letters, digits, \"-\" and \".\".", s))}
	}
	return nil
}}

var outboundTarget = def.Check{
	Doc: "Either `backendRef`, or `tags` with `kuma.io/service`.",
	Test: func(n tree.Node) []def.Problem {
		tags, ref := n.Get("tags"), n.Get("backendRef")
		switch {
		case ref.Absent() && !tags.Unknown() && !check.HasServiceTag(tags):
			return []def.Problem{def.ErrorAt(tags, "The outbound has no destination", "An outbound needs a \"backendRef\", or the tag \"kuma.io/service\". Add one of them.")}
		case !ref.Known():
			return nil
		case tags.Filled():
			return []def.Problem{def.ErrorAt(ref, "backendRef excludes tags", "An outbound names its destination by \"backendRef\" or by \"tags\". Remove one of them.")}
		}
		var problems []def.Problem
		if ref.Get("name").Empty() && ref.Get("labels").Empty() {
			problems = append(problems, def.ErrorAt(ref, "name or labels is missing", "The reference needs \"name\" or \"labels\" to say which object it means."))
		}
		kind, known := ref.Get("kind").Text()
		if port := ref.Get("port"); known && kind != kuma.KindMeshExternalService && !port.Unknown() {
			if p, _ := port.Int(); p < 1 || p > check.MaxPort {
				problems = append(problems, def.ErrorAt(port, "Port is missing or out of range", fmt.Sprintf("A reference to a %s needs a port from 1 to %d.", kind, check.MaxPort)))
			}
		}
		return problems
	},
}

var reachableBackend = def.Check{
	Doc: "Either `name`, with `namespace` where needed, or `labels`.",
	Test: func(n tree.Node) []def.Problem {
		name, namespace, labels := n.Get("name"), n.Get("namespace"), n.Get("labels")
		switch {
		case name.Empty() && namespace.Filled():
			return []def.Problem{def.ErrorAt(name, "name is missing", "A reference with a \"namespace\" needs a \"name\" too.")}
		case name.Empty() && labels.Empty():
			return []def.Problem{def.ErrorAt(name, "name or labels is missing", "The reference needs \"name\" or \"labels\" to say which objects it means.")}
		case name.Filled() && labels.Filled():
			return []def.Problem{def.ErrorAt(labels, "labels exclude name and namespace", "The reference is either by name (and namespace) or by labels. Remove one of them.")}
		}
		return nil
	},
}

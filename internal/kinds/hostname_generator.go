package kinds

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// HostnameGenerator gives services their host names.
var HostnameGenerator = spec.Kind{
	Name: "HostnameGenerator", Path: "hostnamegenerators", ShortName: "hg", Scope: spec.Global,
	ZoneOwned: true, GlobalOwned: true,
	Doc: "Gives every service with certain labels, of all meshes, a host name under which transparent proxies resolve it. " +
		"The control plane brings generators of its own for the names in `mesh.local`.",
	Fields: spec.Object{
		{
			Name: "selector", Required: true, Doc: "The services that get the host name, of one kind.",
			Checks: spec.Checks(spec.AnyOf(namedServices...), spec.AtMostOneOf(namedServices...)),
			Type: spec.Object{
				servicesByLabel("meshService", mesh.KindMeshService),
				servicesByLabel("meshExternalService", mesh.KindMeshExternalService),
				servicesByLabel("meshMultiZoneService", mesh.KindMeshMultiZoneService),
			},
		},
		{
			Name: "template", Type: spec.String, Required: true, Checks: spec.Checks(hostNameTemplate),
			Doc: "The host name as a Go template, with `.DisplayName`, `.Name`, `.Namespace`, `.Mesh` and `.Zone` of the service, and `label \"key\"` for the value of a label: " +
				"`{{ .DisplayName }}.svc.{{ .Zone }}.shop.local`. A service that lacks such a label gets no host name. It must make a host name of lower case letters, digits, `-` and `.`.",
		},
		{Name: "extension", Since: "2.11", Doc: "An extension of the control plane that makes the host names.", Type: extension("type")},
	},
}

var namedServices = []string{"meshService", "meshExternalService", "meshMultiZoneService"}

func servicesByLabel(name, kind string) spec.Field {
	return spec.Field{Name: name, Doc: fmt.Sprintf("Services of kind %s.", kind), Type: spec.Object{
		{
			Name: "matchLabels", Type: spec.Map{Elem: spec.String},
			Doc: fmt.Sprintf("Labels that a %s must all carry. Without any, all are selected.", kind),
		},
	}}
}

// hostNameTemplate renders the template the way the control plane tries it out.
var hostNameTemplate = spec.Check{Test: func(n spec.Node) []spec.Problem {
	text, ok := n.Text()
	switch {
	case !ok:
		return nil
	case text == "":
		return []spec.Problem{n.Problem("The template is empty", "Write a host name, such as \"{{ .DisplayName }}.shop.local\".")}
	}
	service := struct{ Name, DisplayName, Namespace, Mesh, Zone string }{"name", "display-name", "namespace", "mesh", "zone"}
	var host strings.Builder
	t, err := parseTemplate(text)
	if err == nil {
		err = t.Execute(&host, service)
	}
	switch {
	case err != nil:
		return []spec.Problem{unusableTemplate(n, err)}
	case !spec.IsDNSSubdomain(host.String()):
		return []spec.Problem{n.Problem("The template makes no host name", fmt.Sprintf("For a service called \"name\" it makes %q: use lower case letters, digits, \"-\" and \".\" around the actions.", host.String()))}
	}
	return nil
}}

package kinds

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// HostnameGenerator gives services their host names.
var HostnameGenerator = def.Kind{
	Name: "HostnameGenerator", Path: "hostnamegenerators", ShortName: "hg", Scope: def.Global,
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Generates a host name for every service with certain labels, in all meshes. Transparent proxies resolve these names. " +
		"The control plane has built-in generators for the names in `mesh.local`.",
	Use:     "Use it to give services host names outside `mesh.local`, for example below a domain of your organization.",
	Page:    "networking/hostnamegenerator",
	Initial: initialGenerators,
	Fields: def.Object{
		{
			Name: "selector", Required: true, RequiredByRule: true, Doc: "The services that get a host name. Exactly one kind must be set.",
			Checks: def.Checks(def.AnyOf(namedServices...), def.AtMostOneOf(namedServices...)),
			Type: def.Object{
				servicesByLabel("meshService", kuma.KindMeshService),
				servicesByLabel("meshExternalService", kuma.KindMeshExternalService),
				servicesByLabel("meshMultiZoneService", kuma.KindMeshMultiZoneService),
			},
		},
		def.String.Required("template",
			"The host name as a Go template, with `.DisplayName`, `.Name`, `.Namespace`, `.Mesh` and `.Zone` of the service, and `label "+
				"\"key\"` for the value of a label: "+
				"`{{ .DisplayName }}.svc.{{ .Zone }}.shop.local`. A service without such a label gets no host name. "+
				"The result must consist of lowercase letters, digits, `-` and `.`.", hostNameTemplate),
		{
			Name: "extension", Since: "2.11", Doc: "An extension of the control plane that generates the host names.",
			Type: object.Extension("type"),
		},
	},
}

// initialGenerators are the generators that a zone creates, then the ones of a global control plane.
var initialGenerators = []def.Initial{
	{Name: "local-mesh-external-service", Spec: `{
		"selector": {"meshExternalService": {"matchLabels": {"kuma.io/origin": "zone"}}},
		"template": "{{ .DisplayName }}.extsvc.mesh.local"
	}`},
	{Name: "local-universal-mesh-service", Spec: `{
		"selector": {"meshService": {"matchLabels": {"kuma.io/origin": "zone"}}},
		"template": "{{ .DisplayName }}.svc.mesh.local"
	}`},
	{Name: "synced-headless-kube-mesh-service", Spec: `{
		"selector": {"meshService": {"matchLabels": {
			"k8s.kuma.io/is-headless-service": "true", "kuma.io/env": "kubernetes", "kuma.io/origin": "global"
		}}},
		"template": "{{ label \"statefulset.kubernetes.io/pod-name\" }}.{{ label \"k8s.kuma.io/service-name\" }}.` +
		`{{ .Namespace }}.svc.{{ .Zone }}.mesh.local"
	}`},
	{Name: "synced-kube-mesh-service", Spec: `{
		"selector": {"meshService": {"matchLabels": {
			"k8s.kuma.io/is-headless-service": "false", "kuma.io/env": "kubernetes", "kuma.io/origin": "global"
		}}},
		"template": "{{ .DisplayName }}.{{ .Namespace }}.svc.{{ .Zone }}.mesh.local"
	}`},
	{Name: "synced-mesh-external-service", Spec: `{
		"selector": {"meshExternalService": {"matchLabels": {"kuma.io/origin": "global"}}},
		"template": "{{ .DisplayName }}.extsvc.mesh.local"
	}`},
	{Name: "synced-mesh-multi-zone-service", Spec: `{
		"selector": {"meshMultiZoneService": {"matchLabels": {"kuma.io/origin": "global"}}},
		"template": "{{ .DisplayName }}.mzsvc.mesh.local"
	}`},
	{Name: "synced-universal-mesh-service", Spec: `{
		"selector": {"meshService": {"matchLabels": {"kuma.io/env": "universal", "kuma.io/origin": "global"}}},
		"template": "{{ .DisplayName }}.svc.{{ .Zone }}.mesh.local"
	}`},
}

var namedServices = []string{"meshService", "meshExternalService", "meshMultiZoneService"}

func servicesByLabel(name, kind string) def.Field {
	return def.Field{Name: name, Doc: fmt.Sprintf("Services of kind %s.", kind), Type: def.Object{
		{
			Name: "matchLabels", Type: def.StringMap{}, EmptyIsAbsent: true,
			Doc: fmt.Sprintf("Labels that a %s must have. Without labels, all are selected.", kind),
		},
	}}
}

// Hostname returns the host name that a HostnameGenerator gives to a service, if it selects
// the service, the service has the labels of the template, and its zone is known if the name
// contains it.
func Hostname(generator, service kuma.Resource) (string, bool) {
	host, ok := hostnameOf(generator, service)
	return host, ok && !strings.Contains(host, unknownZone)
}

// MayHaveHostname reports whether a HostnameGenerator gives a host name to a MeshService if that
// is in a certain zone, which is not known.
func MayHaveHostname(generator, service kuma.Resource, host string) bool {
	pattern, ok := hostnameOf(generator, service)
	before, after, inZone := strings.Cut(pattern, unknownZone)
	after = after[strings.LastIndex(after, unknownZone)+1:] // a name rarely contains the zone twice
	return ok && inZone && len(host) > len(before)+len(after) && strings.HasPrefix(host, before) && strings.HasSuffix(host, after)
}

// unknownZone represents the zone of a MeshService that is not known, which no host name contains.
const unknownZone = "?"

func hostnameOf(generator, service kuma.Resource) (string, bool) {
	spec := tree.Root(generator.Spec())
	selector := spec.Get("selector", strings.ToLower(service.Type[:1])+service.Type[1:])
	if selector.Absent() || !kuma.HasAll(service.Labels, tree.StringMap(selector.Get("matchLabels").Value())) {
		return "", false
	}
	zone := service.Zone()
	if zone == "" && service.Type == kuma.KindMeshService {
		zone = unknownZone
	}
	text, _ := spec.Get("template").Text()
	host, err := rendered(text, map[string]string{
		"Name": service.Name, "DisplayName": service.DisplayName(), "Namespace": service.Labels[kuma.LabelK8sNamespace], "Mesh": service.Mesh,
		"Zone": zone,
	}, service.Labels)
	return host, err == nil
}

// hostNameTemplate renders the template as the control plane does to validate
// it.
var hostNameTemplate = def.Check{Test: func(n tree.Node) []def.Problem {
	text, ok := n.Text()
	switch {
	case !ok:
		return nil
	case text == "":
		return []def.Problem{def.ErrorAt(n, "Empty template",
			"The template must not be empty. Use a template such as \"{{ .DisplayName }}.shop.local\".")}
	}
	service := struct{ Name, DisplayName, Namespace, Mesh, Zone string }{"name", "display-name", "namespace", "mesh", "zone"}
	var host strings.Builder
	t, err := check.ParseTemplate(text)
	if err != nil {
		return []def.Problem{check.UnusableTemplate(n, err)}
	}
	switch err := t.Execute(&host, service); {
	case err != nil:
		return []def.Problem{check.UnrenderedTemplate(n, err, ".DisplayName", ".Name", ".Namespace", ".Mesh", ".Zone", check.TemplateLabel)}
	case !kuma.IsDNSSubdomain(host.String()):
		return []def.Problem{def.ErrorAt(n, "Template renders an invalid host name",
			fmt.Sprintf("For a service named \"name\" the template renders %q. "+
				"The result must consist of lowercase letters, digits, \"-\" and \".\".", host.String()))}
	}
	return nil
}}

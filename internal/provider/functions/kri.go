package functions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// kriFunction returns the identifier of a resource or of a section of it.
func kriFunction() function.Function {
	return providerFunction{"kri", textAbout(kriOf), function.Definition{
		Summary:             "Returns the identifier (KRI) of a resource",
		MarkdownDescription: describe("kri"),
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name: "resource", AllowUnknownValues: true,
				MarkdownDescription: "Whole resource, document, or parts of an identifier.",
			},
		},
		Return: function.StringReturn{},
	}}
}

// kriOf returns an identifier, or [document.ErrUnknown] while it is not known.
func kriOf(v tftypes.Value) (string, error) {
	if !v.IsKnown() {
		return "", document.ErrUnknown
	}
	content, err := tfvalue.ToTree(v)
	if err != nil {
		return "", err
	}
	doc, ok := content.(map[string]any)
	if !ok {
		return "", errors.New("must be an object: parts of an identifier, a document, or a whole resource")
	}
	if id, ok := doc["kri"]; ok {
		text, known := id.(string)
		if !known {
			return "", document.ErrUnknown
		}
		return text, nil
	}
	_, universal := doc["type"]
	_, kubernetes := doc["apiVersion"]
	if universal || kubernetes {
		return documentKRI(doc)
	}
	return partsKRI(doc)
}

func documentKRI(doc map[string]any) (string, error) {
	var reader document.Reader
	d, err := reader.Value(doc).Only()
	switch {
	case err != nil:
		return "", err
	case d.Kind.ShortName == "":
		return "", fmt.Errorf("resources of kind %s have no identifier", d.Kind.Name)
	}
	return d.Kind.KRI(d.Resource), nil
}

// partNames are the parts of an identifier besides the kind.
func partNames() []string {
	return []string{"short_name", "mesh", "zone", "namespace", "name", "section"}
}

func partsKRI(doc map[string]any) (string, error) {
	parts, known := map[string]string{}, true
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		part := doc[name]
		text, isText := part.(string)
		switch {
		case name != "kind" && !slices.Contains(partNames(), name):
			return "", fmt.Errorf("an identifier has no part %q. Valid parts: kind, %s.%s", name, phrase.And(partNames()...),
				phrase.Suggest(name, partNames()))
		case part == tree.Unknown:
			known = false
		case !isText:
			return "", fmt.Errorf("the part %s must be a string, not %s", name, tree.Describe(part))
		}
		parts[name] = text
	}
	if !known {
		return "", document.ErrUnknown
	}
	if kind := parts["kind"]; kind != "" {
		k, ok := kinds.Find(kind)
		switch {
		case !ok:
			return "", document.UnknownKind(kind)
		case k.ShortName == "":
			return "", fmt.Errorf("resources of kind %s have no identifier", kind)
		}
		parts["short_name"] = k.ShortName
	}
	if parts["short_name"] == "" || parts["name"] == "" {
		return "", errors.New("kind (or short_name) and name are required")
	}
	return kuma.KRI{
		ShortName: parts["short_name"], Mesh: parts["mesh"], Zone: parts["zone"], Namespace: parts["namespace"], Name: parts["name"],
		Section: parts["section"],
	}.String(), nil
}

// parsedKRI are the parts of an identifier.
type parsedKRI struct {
	Kind      string `json:"kind,omitzero"`
	ShortName string `json:"short_name,omitzero"`
	Mesh      string `json:"mesh,omitzero"`
	Zone      string `json:"zone,omitzero"`
	Namespace string `json:"namespace,omitzero"`
	Name      string `json:"name,omitzero"`
	Section   string `json:"section,omitzero"`
}

// parseKRIFunction parses an identifier.
func parseKRIFunction() function.Function {
	return providerFunction{"parse_kri", runParseKRI, function.Definition{
		Summary:             "Parses an identifier (KRI)",
		MarkdownDescription: describe("parse_kri"),
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "kri",
			MarkdownDescription: "The identifier, such as `kri_msvc_shop_zone-1__checkout_http`.",
		}},
		Return: returnOf[parsedKRI](),
	}}
}

func runParseKRI(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	id, err := kuma.ParseKRI(text)
	if err != nil {
		resp.Error = argumentError(err)
		return
	}
	setAnswer(ctx, resp, parsedKRI{kindOf(id.ShortName), id.ShortName, id.Mesh, id.Zone, id.Namespace, id.Name, id.Section})
}

// kindOf returns the kind with a short name, empty when it is unknown.
func kindOf(shortName string) string {
	for _, k := range kinds.All() {
		if shortName != "" && k.ShortName == shortName {
			return k.Name
		}
	}
	return ""
}

// sniFunction returns the server name that clients send for a port of a service.
func sniFunction() function.Function {
	return providerFunction{"sni", runSNI, function.Definition{
		Summary:             "Returns the server name (SNI) of a port of a service",
		MarkdownDescription: describe("sni"),
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name: "resource", AllowUnknownValues: true,
				MarkdownDescription: "Whole resource, document, or parts of an identifier.",
			},
		},
		VariadicParameter: function.StringParameter{
			Name:                "section_name",
			MarkdownDescription: describe("sni.section_name"),
		},
		Return: function.StringReturn{},
	}}
}

func runSNI(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var argument types.Dynamic
	var sections []string
	if resp.Error = req.Arguments.Get(ctx, &argument, &sections); resp.Error != nil {
		return
	}
	if len(sections) > 1 {
		resp.Error = argumentErrorAt(1, "Only one section_name is allowed.")
		return
	}
	setText(ctx, resp, argument, func(v tftypes.Value) (string, error) { return sniOf(v, sections) })
}

// sniOf returns a server name. It fails as [kriOf] does. sections has at most one element.
func sniOf(v tftypes.Value, sections []string) (string, error) {
	text, err := kriOf(v)
	if err != nil {
		return "", err
	}
	id, err := kuma.ParseKRI(text)
	if err != nil {
		return "", err
	}
	kind := kindOf(id.ShortName)
	if !rules.IsDestination(kind) {
		return "", fmt.Errorf("only %s have server names", phrase.And(rules.DestinationKinds()...))
	}
	content, err := tfvalue.ToTree(v)
	if err != nil {
		return "", err
	}
	if spec, described := tree.Object(content)["spec"]; described {
		if !tree.FullyKnown(spec) {
			return "", document.ErrUnknown
		}
		sections, err = chosenSection(kuma.Resource{Type: kind, Body: map[string]any{"spec": spec}}, sections)
		if err != nil {
			return "", err
		}
	}
	if len(sections) > 0 {
		id.Section = sections[0]
	}
	if id.Section == "" {
		return "", errors.New("pass section_name to select the port: the identifier has no section")
	}
	return id.SNI(), nil
}

// chosenSection returns the given section of a service, or its only section when none
// is given.
func chosenSection(service kuma.Resource, asked []string) ([]string, error) {
	existing := rules.Sections(service)
	switch {
	case len(asked) == 0 && len(existing) == 1:
		return existing, nil
	case len(asked) == 0:
		return nil, fmt.Errorf("pass section_name to select the port: the service has the ports %s", phrase.And(existing...))
	case !slices.Contains(existing, asked[0]):
		return nil, fmt.Errorf("the service has no port %q. Its ports: %s", asked[0], phrase.And(existing...))
	}
	return asked, nil
}

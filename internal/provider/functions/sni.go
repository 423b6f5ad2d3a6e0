package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// sniFunction returns the server name that clients send for a port of a service.
func sniFunction() function.Function {
	return providerFunction{"sni", runSNI, function.Definition{
		Summary:             "Returns the server name (SNI) of a port of a service",
		MarkdownDescription: describe("sni"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "resource", AllowUnknownValues: true, MarkdownDescription: "Whole resource, document, or parts of an identifier."},
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
	setName(ctx, resp, argument, func(v tftypes.Value) (string, error) { return sniOf(v, sections) })
}

// sniOf returns a server name, empty while it is not known. sections has at most one
// element.
func sniOf(v tftypes.Value, sections []string) (string, error) {
	text, err := kriOf(v)
	if err != nil || text == "" {
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
			return "", nil
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

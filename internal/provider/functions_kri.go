package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// kriFunction makes the identifier of a resource or of a section of it.
type kriFunction struct{}

var _ function.Function = kriFunction{}

func (kriFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "kri"
}

func (kriFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Makes the identifier (KRI) of a resource",
		MarkdownDescription: "Makes the identifier (KRI) under which Kuma, and `conf` of `kuma_effective_rules`, know a resource or a port of it. " +
			"Takes the parts, as `parse_kri` returns them: `kind` or `short_name`, `name`, and as far as the resource has them `mesh`, `zone`, `namespace` and `section`; " +
			"or a document, whose labels tell zone and namespace; or a whole resource, which has the identifier in its attribute `kri`.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "resource", AllowUnknownValues: true, MarkdownDescription: "Parts of an identifier, a document, or a whole resource."},
		},
		Return: function.StringReturn{},
	}
}

func (kriFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var argument types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &argument); resp.Error != nil {
		return
	}
	value, err := argument.ToTerraformValue(ctx)
	var id string
	if err == nil {
		id, err = kriOf(value)
	}
	switch {
	case err != nil:
		resp.Error = argumentError(err)
	case id == "":
		resp.Error = resp.Result.Set(ctx, types.StringUnknown())
	default:
		resp.Error = resp.Result.Set(ctx, id)
	}
}

// kriOf returns an identifier, empty while it is not known.
func kriOf(v tftypes.Value) (string, error) {
	if !v.IsKnown() {
		return "", nil
	}
	content, err := tfvalue.ToTree(v)
	if err != nil {
		return "", err
	}
	doc, ok := content.(object)
	if !ok {
		return "", errors.New("an object is needed: parts of an identifier, a document, or a whole resource")
	}
	if id, ok := doc["kri"]; ok {
		text, _ := id.(string)
		return text, nil // empty while unknown
	}
	_, universal := doc["type"]
	_, kubernetes := doc["apiVersion"]
	if universal || kubernetes {
		return documentKRI(doc)
	}
	return partsKRI(doc)
}

func documentKRI(doc object) (string, error) {
	for _, member := range []string{"type", "kind", "apiVersion", "metadata", "name", "mesh", "labels"} {
		if !tree.FullyKnown(doc[member]) {
			return "", nil
		}
	}
	k, r, err := parseDocument(doc)
	if err != nil {
		return "", err
	}
	if k.ShortName == "" {
		return "", fmt.Errorf("the kind %s has no identifiers", k.Name)
	}
	return k.KRI(r), nil
}

// partNames are the parts of an identifier besides the kind.
func partNames() []string {
	return []string{"short_name", "mesh", "zone", "namespace", "name", "section"}
}

func partsKRI(doc object) (string, error) {
	parts := map[string]string{}
	for name, part := range doc {
		text, isText := part.(string)
		switch {
		case name != "kind" && !slices.Contains(partNames(), name):
			return "", fmt.Errorf("an identifier has no part %q; it has kind, %s.%s", name, phrase.And(partNames()...), phrase.Suggest(name, partNames()))
		case part == tree.Unknown:
			return "", nil
		case !isText:
			return "", fmt.Errorf("the part %s is %s, not text", name, tree.Describe(part))
		}
		parts[name] = text
	}
	if kind := parts["kind"]; kind != "" {
		k, ok := kinds.Find(kind)
		switch {
		case !ok:
			return "", fmt.Errorf("%q is no kind that this provider knows.%s", kind, phrase.Suggest(kind, store.Capabilities{}.KindNames()))
		case k.ShortName == "":
			return "", fmt.Errorf("the kind %s has no identifiers", kind)
		}
		parts["short_name"] = k.ShortName
	}
	if parts["short_name"] == "" || parts["name"] == "" {
		return "", errors.New("kind (or short_name) and name are needed")
	}
	return kuma.KRI{
		ShortName: parts["short_name"], Mesh: parts["mesh"], Zone: parts["zone"], Namespace: parts["namespace"], Name: parts["name"], Section: parts["section"],
	}.String(), nil
}

// parseKRI takes an identifier apart.
type parseKRI struct{}

var _ function.Function = parseKRI{}

func (parseKRI) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_kri"
}

func (parseKRI) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	attributes := map[string]attr.Type{"kind": types.StringType}
	for _, name := range partNames() {
		attributes[name] = types.StringType
	}
	resp.Definition = function.Definition{
		Summary: "Takes an identifier (KRI) apart",
		MarkdownDescription: "Takes an identifier (KRI) apart into an object with `kind`, `short_name` (of the kind, as the identifier has it), `mesh`, `zone`, `namespace`, `name` and `section`. " +
			"Parts that are empty are null, and so is a kind that this provider does not know.",
		Parameters: []function.Parameter{function.StringParameter{Name: "kri", MarkdownDescription: "The identifier, such as `kri_msvc_shop_zone-1__checkout_http`."}},
		Return:     function.ObjectReturn{AttributeTypes: attributes},
	}
}

func (parseKRI) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	id, err := kuma.ParseKRI(text)
	if err != nil {
		resp.Error = argumentError(err)
		return
	}
	resp.Error = resp.Result.Set(ctx, struct {
		Kind      types.String `tfsdk:"kind"`
		ShortName types.String `tfsdk:"short_name"`
		Mesh      types.String `tfsdk:"mesh"`
		Zone      types.String `tfsdk:"zone"`
		Namespace types.String `tfsdk:"namespace"`
		Name      types.String `tfsdk:"name"`
		Section   types.String `tfsdk:"section"`
	}{
		textOf(kindOf(id.ShortName)), textOf(id.ShortName), textOf(id.Mesh), textOf(id.Zone), textOf(id.Namespace), textOf(id.Name), textOf(id.Section),
	})
}

// kindOf returns the kind with a short name, empty when there is none.
func kindOf(shortName string) string {
	for _, k := range kinds.All() {
		if shortName != "" && k.ShortName == shortName {
			return k.Name
		}
	}
	return ""
}

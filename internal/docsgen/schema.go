package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// readSchema returns the schema of the provider, in which everything that
// validation requires is required.
func readSchema(ctx context.Context) (*providerSchema, error) {
	server := provider.NewServer("dev", provider.Waits{})()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	for _, d := range schemas.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	p := &providerSchema{
		Provider:    schemaOf(schemas.Provider),
		Resources:   each(schemas.ResourceSchemas, schemaOf),
		DataSources: each(schemas.DataSourceSchemas, schemaOf),
		Ephemeral:   each(schemas.EphemeralResourceSchemas, schemaOf),
		Lists:       each(schemas.ListResourceSchemas, schemaOf),
		Actions:     each(schemas.ActionSchemas, func(a *tfprotov6.ActionSchema) schema { return schemaOf(a.Schema) }),
		Identities:  each(identities.IdentitySchemas, identityOf),
		Functions:   each(schemas.Functions, functionOf),
	}
	for _, k := range kinds.All() {
		s := p.Resources[tfschema.TypeName(k.Name)]
		s.Block.showRequired(k.Root())
	}
	return p, nil
}

func each[A, B any](all map[string]A, f func(A) B) map[string]B {
	out := make(map[string]B, len(all))
	for name, a := range all {
		out[name] = f(a)
	}
	return out
}

// JSON returns the schema in the form of `terraform providers schema -json`, so
// that the documentation can be generated without a Terraform binary and is the
// same on every machine.
func (p *providerSchema) JSON() ([]byte, error) {
	return json.MarshalIndent(map[string]any{"format_version": "1.0", "provider_schemas": map[string]any{"kuma": p}}, "", " ")
}

type providerSchema struct {
	Provider    schema              `json:"provider"`
	Resources   map[string]schema   `json:"resource_schemas"`
	DataSources map[string]schema   `json:"data_source_schemas"`
	Ephemeral   map[string]schema   `json:"ephemeral_resource_schemas"`
	Lists       map[string]schema   `json:"list_resource_schemas"`
	Actions     map[string]schema   `json:"action_schemas"`
	Identities  map[string]identity `json:"resource_identity_schemas"`
	Functions   map[string]function `json:"functions"`
}

type function struct {
	Summary     string      `json:"summary,omitempty"`
	Description string      `json:"description,omitempty"`
	ReturnType  any         `json:"return_type"`
	Parameters  []parameter `json:"parameters,omitempty"`
	Variadic    *parameter  `json:"variadic_parameter,omitempty"`
}

type parameter struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Type        any    `json:"type"`
}

type schema struct {
	Version int64 `json:"version"`
	Block   block `json:"block"`
}

type block struct {
	Attributes      map[string]attribute   `json:"attributes,omitempty"`
	BlockTypes      map[string]nestedBlock `json:"block_types,omitempty"`
	Description     string                 `json:"description,omitempty"`
	DescriptionKind string                 `json:"description_kind,omitempty"`
	Deprecated      bool                   `json:"deprecated,omitempty"`
}

type nestedBlock struct {
	NestingMode string `json:"nesting_mode"`
	MinItems    int    `json:"min_items,omitempty"`
	Block       block  `json:"block"`
}

type attribute struct {
	Type            any               `json:"type,omitempty"`
	NestedType      *nestedAttributes `json:"nested_type,omitempty"`
	Description     string            `json:"description,omitempty"`
	DescriptionKind string            `json:"description_kind,omitempty"`
	Required        bool              `json:"required,omitempty"`
	Optional        bool              `json:"optional,omitempty"`
	Computed        bool              `json:"computed,omitempty"`
	Sensitive       bool              `json:"sensitive,omitempty"`
	Deprecated      bool              `json:"deprecated,omitempty"`
	WriteOnly       bool              `json:"write_only,omitempty"`
}

type nestedAttributes struct {
	Attributes  map[string]attribute `json:"attributes"`
	NestingMode string               `json:"nesting_mode"`
}

type identity struct {
	Version    int64                        `json:"version"`
	Attributes map[string]identityAttribute `json:"attributes"`
}

type identityAttribute struct {
	Type              any    `json:"type"`
	Description       string `json:"description,omitempty"`
	RequiredForImport bool   `json:"required_for_import,omitempty"`
	OptionalForImport bool   `json:"optional_for_import,omitempty"`
}

func schemaOf(s *tfprotov6.Schema) schema {
	return schema{Version: s.Version, Block: blockOf(s.Block)}
}

func blockOf(b *tfprotov6.SchemaBlock) block {
	out := block{
		Attributes: attributesOf(b.Attributes), BlockTypes: map[string]nestedBlock{},
		Description: b.Description, DescriptionKind: kindOf(b.DescriptionKind), Deprecated: b.Deprecated,
	}
	for _, n := range b.BlockTypes {
		mode := map[tfprotov6.SchemaNestedBlockNestingMode]string{
			tfprotov6.SchemaNestedBlockNestingModeSingle: "single",
			tfprotov6.SchemaNestedBlockNestingModeList:   "list",
			tfprotov6.SchemaNestedBlockNestingModeSet:    "set",
		}[n.Nesting]
		out.BlockTypes[n.TypeName] = nestedBlock{NestingMode: mode, Block: blockOf(n.Block)}
	}
	return out
}

func attributesOf(list []*tfprotov6.SchemaAttribute) map[string]attribute {
	out := make(map[string]attribute, len(list))
	for _, a := range list {
		if strings.HasPrefix(a.Description, def.NotUsedHere) {
			continue
		}
		e := attribute{
			Description: a.Description, DescriptionKind: kindOf(a.DescriptionKind),
			Required: a.Required, Optional: a.Optional, Computed: a.Computed,
			Sensitive: a.Sensitive, Deprecated: a.Deprecated, WriteOnly: a.WriteOnly,
		}
		if a.NestedType != nil {
			mode := map[tfprotov6.SchemaObjectNestingMode]string{
				tfprotov6.SchemaObjectNestingModeSingle: "single",
				tfprotov6.SchemaObjectNestingModeList:   "list",
				tfprotov6.SchemaObjectNestingModeSet:    "set",
				tfprotov6.SchemaObjectNestingModeMap:    "map",
			}[a.NestedType.Nesting]
			e.NestedType = &nestedAttributes{Attributes: attributesOf(a.NestedType.Attributes), NestingMode: mode}
		} else {
			e.Type = a.Type
		}
		out[a.Name] = e
	}
	return out
}

func identityOf(s *tfprotov6.ResourceIdentitySchema) identity {
	out := identity{Version: s.Version, Attributes: map[string]identityAttribute{}}
	for _, a := range s.IdentityAttributes {
		out.Attributes[a.Name] = identityAttribute{
			Type: a.Type, Description: a.Description, RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return out
}

func kindOf(k tfprotov6.StringKind) string {
	if k == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}

func functionOf(f *tfprotov6.Function) function {
	out := function{Summary: f.Summary, Description: f.Description, ReturnType: f.Return.Type}
	for _, p := range f.Parameters {
		out.Parameters = append(out.Parameters, parameter{Name: p.Name, Description: p.Description, Type: p.Type})
	}
	if p := f.VariadicParameter; p != nil {
		out.Variadic = &parameter{Name: p.Name, Description: p.Description, Type: p.Type}
	}
	return out
}

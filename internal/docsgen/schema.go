package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// readSchema returns the schema of the provider, in which everything that
// validation requires is required.
func readSchema(ctx context.Context) (*tfjson.ProviderSchema, error) {
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
	p := &tfjson.ProviderSchema{
		ConfigSchema:             schemaOf(schemas.Provider),
		ResourceSchemas:          each(schemas.ResourceSchemas, schemaOf),
		DataSourceSchemas:        each(schemas.DataSourceSchemas, schemaOf),
		EphemeralResourceSchemas: each(schemas.EphemeralResourceSchemas, schemaOf),
		ListResourceSchemas:      each(schemas.ListResourceSchemas, schemaOf),
		ActionSchemas: each(schemas.ActionSchemas, func(a *tfprotov6.ActionSchema) *tfjson.ActionSchema {
			return &tfjson.ActionSchema{Block: blockOf(a.Schema.Block)}
		}),
		ResourceIdentitySchemas: each(identities.IdentitySchemas, identityOf),
		Functions:               each(schemas.Functions, functionOf),
	}
	for _, k := range kinds.All() {
		showRequired(p.ResourceSchemas[tfschema.TypeName(k.Name)].Block, k.Root())
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

// schemaJSON returns the schema in the form of `terraform providers schema -json`, so
// that the documentation can be generated without a Terraform binary and is the
// same on every machine.
func schemaJSON(p *tfjson.ProviderSchema) ([]byte, error) {
	return json.MarshalIndent(
		tfjson.ProviderSchemas{FormatVersion: "1.0", Schemas: map[string]*tfjson.ProviderSchema{"kuma": p}}, "", " ")
}

func schemaOf(s *tfprotov6.Schema) *tfjson.Schema {
	return &tfjson.Schema{Version: uint64(s.Version), Block: blockOf(s.Block)}
}

func blockOf(b *tfprotov6.SchemaBlock) *tfjson.SchemaBlock {
	out := &tfjson.SchemaBlock{
		Attributes: attributesOf(b.Attributes), NestedBlocks: map[string]*tfjson.SchemaBlockType{},
		Description: b.Description, DescriptionKind: kindOf(b.DescriptionKind), Deprecated: b.Deprecated,
	}
	for _, n := range b.BlockTypes {
		out.NestedBlocks[n.TypeName] = &tfjson.SchemaBlockType{NestingMode: modeOf(n.Nesting), Block: blockOf(n.Block)}
	}
	return out
}

// modeOf returns the nesting mode of a block or of nested attributes.
func modeOf(mode fmt.Stringer) tfjson.SchemaNestingMode {
	return tfjson.SchemaNestingMode(strings.ToLower(mode.String()))
}

func attributesOf(list []*tfprotov6.SchemaAttribute) map[string]*tfjson.SchemaAttribute {
	out := make(map[string]*tfjson.SchemaAttribute, len(list))
	for _, a := range list {
		if strings.HasPrefix(a.Description, def.NotUsedHere) {
			continue
		}
		e := &tfjson.SchemaAttribute{
			AttributeType: typeOf(a.Type), Description: a.Description, DescriptionKind: kindOf(a.DescriptionKind),
			Required: a.Required, Optional: a.Optional, Computed: a.Computed,
			Sensitive: a.Sensitive, Deprecated: a.Deprecated, WriteOnly: a.WriteOnly,
		}
		if n := a.NestedType; n != nil {
			e.AttributeNestedType = &tfjson.SchemaNestedAttributeType{Attributes: attributesOf(n.Attributes), NestingMode: modeOf(n.Nesting)}
		}
		out[a.Name] = e
	}
	return out
}

// typeOf converts a type, which is nil for nested attributes.
func typeOf(t tftypes.Type) (out cty.Type) {
	if t == nil {
		return out
	}
	text, err := json.Marshal(t)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err) // both are encoded in the same way
	}
	return out
}

func identityOf(s *tfprotov6.ResourceIdentitySchema) *tfjson.IdentitySchema {
	out := &tfjson.IdentitySchema{Version: uint64(s.Version), Attributes: map[string]*tfjson.IdentityAttribute{}}
	for _, a := range s.IdentityAttributes {
		out.Attributes[a.Name] = &tfjson.IdentityAttribute{
			IdentityType: typeOf(a.Type), Description: a.Description, RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return out
}

func kindOf(k tfprotov6.StringKind) tfjson.SchemaDescriptionKind {
	if k == tfprotov6.StringKindMarkdown {
		return tfjson.SchemaDescriptionKindMarkdown
	}
	return tfjson.SchemaDescriptionKindPlain
}

func functionOf(f *tfprotov6.Function) *tfjson.FunctionSignature {
	out := &tfjson.FunctionSignature{Summary: f.Summary, Description: f.Description, ReturnType: typeOf(f.Return.Type)}
	for _, p := range f.Parameters {
		out.Parameters = append(out.Parameters, parameterOf(p))
	}
	if p := f.VariadicParameter; p != nil {
		out.VariadicParameter = parameterOf(p)
	}
	return out
}

func parameterOf(p *tfprotov6.FunctionParameter) *tfjson.FunctionParameter {
	return &tfjson.FunctionParameter{Name: p.Name, Description: p.Description, Type: typeOf(p.Type)}
}

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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
		Resources:   map[string]schema{},
		DataSources: map[string]schema{},
		Ephemeral:   map[string]schema{},
		Lists:       map[string]schema{},
		Actions:     map[string]schema{},
		Identities:  map[string]identity{},
		Functions:   map[string]function{},
	}
	for name, s := range schemas.ResourceSchemas {
		p.Resources[name] = schemaOf(s)
	}
	for name, s := range schemas.DataSourceSchemas {
		p.DataSources[name] = schemaOf(s)
	}
	for name, s := range schemas.EphemeralResourceSchemas {
		p.Ephemeral[name] = schemaOf(s)
	}
	for name, s := range schemas.ListResourceSchemas {
		p.Lists[name] = schemaOf(s)
	}
	for name, a := range schemas.ActionSchemas {
		p.Actions[name] = schemaOf(a.Schema)
	}
	for name, s := range identities.IdentitySchemas {
		p.Identities[name] = identityOf(s)
	}
	for name, f := range schemas.Functions {
		p.Functions[name] = functionOf(f)
	}
	for _, k := range kinds.All() {
		s := p.Resources[tfschema.TypeName(k.Name)]
		s.Block.showRequired(k.Root())
	}
	return p, nil
}

// JSON returns the schema in the form of `terraform providers schema -json`, so
// that the documentation can be generated without a Terraform binary and is the
// same on every machine.
func (p *providerSchema) JSON() ([]byte, error) {
	return json.MarshalIndent(map[string]any{"format_version": "1.0", "provider_schemas": map[string]any{"kuma": p}}, "", " ")
}

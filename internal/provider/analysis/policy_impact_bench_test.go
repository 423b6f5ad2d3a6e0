package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// BenchmarkPolicyImpact reads the data source for a change of 1,000 timeouts on
// 1,000 dataplanes, from documents to the value returned to Terraform.
func BenchmarkPolicyImpact(b *testing.B) {
	server, err := providertest.Factories["kuma"]()
	if err != nil {
		b.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(b.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		b.Fatal(err)
	}
	object, _ := schemas.DataSourceSchemas["kuma_policy_impact"].ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, t := range object.AttributeTypes {
		values[name] = tftypes.NewValue(t, nil)
	}
	values["mesh"] = tftypes.NewValue(tftypes.String, "large")
	texts := tftypes.List{ElementType: tftypes.String}
	values["documents"] = tftypes.NewValue(texts, []tftypes.Value{tftypes.NewValue(tftypes.String, largeMesh())})
	values["removed"] = tftypes.NewValue(texts, []tftypes.Value{tftypes.NewValue(tftypes.String, "kri_mt_large___everybody_")})
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		resp, err := server.ReadDataSource(b.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "kuma_policy_impact", Config: &config})
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatal(err, resp.Diagnostics)
		}
	}
}

// largeMesh returns documents of a mesh with 500 services, 1,000 dataplanes and
// 1,000 policies.
func largeMesh() string {
	docs := []string{
		"{type: Mesh, name: large, meshServices: {mode: Exclusive}}",
		"{type: MeshTimeout, mesh: large, name: everybody, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 5s}}]}}",
	}
	for i := range 500 {
		docs = append(docs, fmt.Sprintf("{type: MeshService, mesh: large, name: service-%d, spec: {ports: [{port: 80}]}}", i))
	}
	for i := range 1_000 {
		docs = append(docs,
			fmt.Sprintf("{type: Dataplane, mesh: large, name: dp-%d, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: service-%d}}]}}", i, i%500),
			fmt.Sprintf("{type: MeshTimeout, mesh: large, name: policy-%d, spec: {to: [{targetRef: {kind: MeshService, name: service-%d}, default: {http: {requestTimeout: %ds}}}]}}", i, i%500, 1+i%30))
	}
	return strings.Join(docs, "\n---\n")
}

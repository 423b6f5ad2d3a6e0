package functions_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// otherMesh is a Mesh that must not affect the analysis of another one.
const otherMesh = "{type: Mesh, name: zoo, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ['*']}"

// TestFunctionsEqualDataSources checks with all recorded worlds, of which one half is
// stored and the other planned, that functions return the same as data sources, and that
// a Mesh of another mesh changes nothing. It runs one analysis per world.
func TestFunctionsEqualDataSources(t *testing.T) {
	t.Parallel()
	terraform := providertest.NewTerraform(t)
	for n, w := range testworld.GoldenSample(t) {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			a := analyses{Terraform: terraform, mesh: w.Mesh, names: analysisNames[n%5 : n%5+1], client: []string{"dataplane", "client_service", "spiffe_id"}[n/5%3]}
			a.example(w.Resources)
			var documents []string
			var planned []kuma.Resource
			for i, r := range w.Resources {
				if i%2 == n/3%2 { // the Mesh comes first
					planned = append(planned, r)
					continue
				}
				text, err := tree.EncodeYAML(r.Document())
				testworld.NoError(t, err)
				documents = append(documents, string(text))
			}
			stored := strings.Join(documents, "\n---\n")
			a.compare(t, stored, stored+"\n---\n"+otherMesh, planned)
		})
	}
}

// TestFunctionsKnowPlannedMesh checks that functions include the policies that a
// control plane creates with a mesh if the mesh is a whole resource.
func TestFunctionsKnowPlannedMesh(t *testing.T) {
	t.Parallel()
	const dataplane = "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}"
	a := analyses{Terraform: providertest.NewTerraform(t), mesh: "shop", dataplane: "web-1", policyType: "MeshTimeout", names: analysisNames}
	created := a.compare(t, dataplane, dataplane, []kuma.Resource{{Type: kuma.KindMesh, Name: "shop", Body: map[string]any{}}})
	if got := created["effective_rules"]["explanation"]; !strings.Contains(got, "mesh-timeout-all-shop") {
		t.Errorf("explanation with a planned mesh: %s, want the policies of a new mesh", got)
	}
	documents := dataplane + "\n---\n{type: Mesh, name: shop}"
	stored := a.compare(t, documents, documents, []kuma.Resource{{Type: kuma.KindMesh, Name: "shop", Body: map[string]any{}}})
	if got := stored["effective_rules"]["explanation"]; strings.Contains(got, "mesh-timeout-all-shop") {
		t.Errorf("explanation with a stored mesh: %s, want only stored policies", got)
	}
}

// TestFunctionsIgnoreOtherMeshes checks that the settings of another mesh do not decide
// how a Dataplane is stored: only in a mesh with mode Exclusive, inbounds without tags do
// not get the tag of their zone.
func TestFunctionsIgnoreOtherMeshes(t *testing.T) {
	t.Parallel()
	const documents = `
type: Mesh
name: shop
---
type: MeshService
mesh: shop
name: web
labels: {kuma.io/origin: zone, kuma.io/zone: east}
spec: {ports: [{port: 80}]}
---
type: Dataplane
mesh: shop
name: web-1
networking: {address: 10.0.0.1, inbound: [{port: 80}]}
---
type: MeshTimeout
mesh: shop
name: zone
spec:
  targetRef: {kind: MeshSubset, tags: {kuma.io/zone: east}}
  from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 7s}}]
---
`
	a := analyses{Terraform: providertest.NewTerraform(t), mesh: "shop", dataplane: "web-1", policyType: "MeshTimeout", names: analysisNames}
	alone := a.compare(t, documents, documents, nil)
	if got := alone["effective_rules"]["explanation"]; !strings.Contains(got, "idleTimeout = 7s") {
		t.Errorf("explanation %s, want the policy for the zone of the control plane", got)
	}
	if diff := cmp.Diff(alone, a.compare(t, documents, documents+otherMesh, nil)); diff != "" {
		t.Errorf("answers with another mesh (-without +with):\n%s", diff)
	}
}

// analyses calls the functions and data sources that analyze a mesh.
type analyses struct {
	providertest.Terraform
	mesh, dataplane, service, policyType string
	client                               string   // argument of request that identifies it, dataplane when empty
	names                                []string // of the functions to call
}

var analysisNames = []string{"access", "effective_rules", "mesh_lint", "policy_impact", "request"}

// example chooses a dataplane, a service and the kind of a policy of a world, if it has any.
func (a *analyses) example(resources []kuma.Resource) {
	a.policyType = "MeshTimeout"
	for _, r := range resources {
		k, _ := kinds.Find(r.Type)
		switch {
		case k.Policy != nil:
			a.policyType = r.Type
		case r.Type == kuma.KindDataplane && r.Mesh == a.mesh:
			a.dataplane = r.Name
		case r.Type == kuma.KindMeshService && r.Mesh == a.mesh:
			a.service = r.Name
		}
	}
}

// compare analyzes stored documents and planned resources with data sources, and the
// same with functions, whose documents may differ. It returns the results by name, and
// their attributes as text.
func (a analyses) compare(t *testing.T, stored, ofFunctions string, planned []kuma.Resource) map[string]map[string]string {
	t.Helper()
	text := tftypes.NewValue(tftypes.String, ofFunctions)
	resources := wholeResources(t, planned)
	all := tuple(append([]tftypes.Value{text}, resources...)...)
	meshName := tftypes.NewValue(tftypes.String, a.mesh)
	documents := tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{tftypes.NewValue(tftypes.String, stored)})
	arguments := map[string]tftypes.Value{"mesh": meshName, "documents": documents, "planned": tuple(resources...)}
	complete := tftypes.NewValue(tftypes.Bool, true)
	of := map[string]struct {
		arguments []tftypes.Value
		more      map[string]tftypes.Value
	}{
		"access":        {[]tftypes.Value{all, meshName}, map[string]tftypes.Value{"complete": complete}},
		"mesh_lint":     {[]tftypes.Value{all, meshName, tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"kuma3": tftypes.Bool}}, map[string]tftypes.Value{"kuma3": complete})}, map[string]tftypes.Value{"complete": complete, "kuma3": complete}},
		"policy_impact": {[]tftypes.Value{tuple(text), all, meshName}, map[string]tftypes.Value{"complete": complete}},
	}
	clients := map[string]string{"dataplane": a.dataplane, "client_service": a.service, "spiffe_id": "spiffe://" + a.mesh + "/" + a.service}
	if a.client == "" {
		a.client = "dataplane"
	}
	asked := map[string]tftypes.Value{a.client: tftypes.NewValue(tftypes.String, clients[a.client]), "service": tftypes.NewValue(tftypes.String, a.service), "port": tftypes.NewValue(tftypes.Number, 80)}
	types := map[string]tftypes.Type{a.client: tftypes.String, "service": tftypes.String, "port": tftypes.Number, "mesh": tftypes.String}
	ofFunction := maps.Clone(asked)
	ofFunction["mesh"] = meshName
	request := of["request"]
	request.arguments, request.more = []tftypes.Value{all, tftypes.NewValue(tftypes.Object{AttributeTypes: types}, ofFunction)}, asked
	of["request"] = request
	for name, asked := range a.rulesQuestions() {
		call := of["effective_rules"+name]
		call.more = map[string]tftypes.Value{}
		for argument, value := range asked {
			call.more[argument] = ofType(t, a.argumentType("kuma_effective_rules", argument), value)
		}
		asked["mesh"] = a.mesh
		question, err := tfvalue.FromTree(t.Context(), asked).ToTerraformValue(t.Context())
		testworld.NoError(t, err)
		call.arguments = []tftypes.Value{all, question}
		of["effective_rules"+name] = call
	}
	out := map[string]map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		name, _, _ := strings.Cut(key, " ")
		call := of[key]
		if !slices.Contains(a.names, name) || name == "request" && (a.dataplane == "" || a.service == "") {
			continue
		}
		got, data := a.call(t, name, call.arguments...), a.read(t, "kuma_"+name, arguments, call.more)
		maps.DeleteFunc(data, func(attribute, _ string) bool { _, ok := got[attribute]; return !ok })
		if diff := cmp.Diff(data, got); diff != "" {
			t.Errorf("%s (-data source +function):\n%s", key, diff)
		}
		out[key] = got
		if _, failed := got["error"]; failed {
			t.Logf("%s fails in both", key)
		}
	}
	return out
}

// rulesQuestions returns the arguments of effective_rules in all of its forms, by what follows the
// name of the analysis.
func (a analyses) rulesQuestions() map[string]map[string]any {
	types := []any{a.policyType}
	all := map[string]map[string]any{" of all": {"dataplanes": map[string]any{}, "include": []any{"conf"}}}
	if a.dataplane != "" {
		all[""] = map[string]any{"dataplane": a.dataplane, "types": types}
		all[" in full"] = map[string]any{"dataplane": a.dataplane, "defaults": true, "include": []any{"explain", "json", "rules"}}
	}
	if a.dataplane != "" && a.service != "" {
		all[" to a service"] = map[string]any{"dataplane": a.dataplane, "types": types, "defaults": true, "destination": map[string]any{"kind": kuma.KindMeshService, "name": a.service}}
		all[" of a service"] = map[string]any{"dataplanes": map[string]any{"service": a.service}, "types": types}
	}
	return all
}

// ofType returns a tree as a value of the type of an argument.
func ofType(t *testing.T, of tftypes.Type, v any) tftypes.Value {
	t.Helper()
	if set, ok := of.(tftypes.Set); ok {
		var elements []tftypes.Value
		for _, e := range tree.List(v) {
			elements = append(elements, ofType(t, set.ElementType, e))
		}
		return tftypes.NewValue(set, elements)
	}
	converted, err := tfvalue.OfType(t.Context(), of, v)
	testworld.NoError(t, err)
	return converted
}

// argumentType returns the type of an argument of a data source.
func (a analyses) argumentType(typeName, argument string) tftypes.Type {
	object, _ := a.Schemas.DataSourceSchemas[typeName].Block.ValueType().(tftypes.Object)
	return object.AttributeTypes[argument]
}

// mayFail is the analysis that fails in some worlds, in which several services have the name.
// Then function and data source must both fail.
const mayFail = "request"

var failed = map[string]string{"error": ""}

// call returns the attributes of the result of a function.
func (a analyses) call(t *testing.T, name string, arguments ...tftypes.Value) map[string]string {
	t.Helper()
	signature := a.Schemas.Functions[name]
	values := make([]*tfprotov6.DynamicValue, len(arguments))
	for i, v := range arguments {
		parameter := signature.VariadicParameter
		if i < len(signature.Parameters) {
			parameter = signature.Parameters[i]
		}
		value, err := tfprotov6.NewDynamicValue(parameter.Type, v)
		testworld.NoError(t, err)
		values[i] = &value
	}
	resp, err := a.Server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: name, Arguments: values})
	if err != nil || resp.Error != nil && name != mayFail {
		t.Fatal(err, resp.Error)
	}
	if resp.Error != nil {
		return failed
	}
	result, err := resp.Result.Unmarshal(signature.Return.Type)
	testworld.NoError(t, err)
	return attributesAsText(t, result)
}

// read returns the attributes of a data source.
func (a analyses) read(t *testing.T, typeName string, arguments ...map[string]tftypes.Value) map[string]string {
	t.Helper()
	block := a.Schemas.DataSourceSchemas[typeName].Block
	object, _ := block.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, attribute := range object.AttributeTypes {
		values[name] = tftypes.NewValue(attribute, nil)
	}
	for _, more := range arguments {
		maps.Copy(values, more)
	}
	state, diags := a.ReadData(t, typeName, tftypes.NewValue(object, values))
	if providertest.HasErrors(diags) && typeName != "kuma_"+mayFail {
		t.Fatal(providertest.Messages(diags))
	}
	if providertest.HasErrors(diags) {
		return failed
	}
	return attributesAsText(t, state)
}

func attributesAsText(t *testing.T, v tftypes.Value) map[string]string {
	t.Helper()
	attributes, err := tfvalue.Attributes(v)
	testworld.NoError(t, err)
	out := map[string]string{}
	for name, attribute := range attributes {
		decoded, err := tfvalue.ToTree(attribute)
		testworld.NoError(t, err)
		text, err := tree.EncodeJSON(decoded)
		testworld.NoError(t, err)
		out[name] = text
	}
	return out
}

// wholeResources returns resources as the values of kuma_manifest.
func wholeResources(t *testing.T, resources []kuma.Resource) []tftypes.Value {
	t.Helper()
	var out []tftypes.Value
	for _, r := range resources {
		v, err := tfvalue.FromTree(t.Context(), map[string]any{"kri": kinds.KRI(r.ID()), "manifest": r.Document()}).ToTerraformValue(t.Context())
		testworld.NoError(t, err)
		out = append(out, v)
	}
	return out
}

func tuple(values ...tftypes.Value) tftypes.Value {
	types := make([]tftypes.Type, len(values))
	for i, v := range values {
		types[i] = v.Type()
	}
	return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, slices.Clone(values))
}

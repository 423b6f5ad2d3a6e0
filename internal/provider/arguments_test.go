package provider_test

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestArgumentsAreNeverErrorsOfTheProvider calls everything that has arguments with null and
// with unknown at every place, and with 1000 random values: whatever is wrong with them, the
// framework must not have to say that the provider is, and no control character reaches the
// terminal.
func TestArgumentsAreNeverErrorsOfTheProvider(t *testing.T) {
	t.Chdir(t.TempDir()) // some name a directory of the embedded control plane
	called := callers(t)
	names := slices.Sorted(maps.Keys(called))
	core := providertest.NewCore(t, "shop")
	providertest.Put(t, core.Client, kuma.Resource{Type: "Dataplane", Mesh: "shop", Name: "web-1", Body: map[string]any{"networking": map[string]any{
		"address": "192.0.2.1", "inbound": []any{map[string]any{"port": 80, "tags": map[string]any{"kuma.io/service": "web"}}},
	}}})
	n := 0
	check := func(t *testing.T, name string, value tftypes.Value) {
		t.Helper()
		if n++; !testworld.Runs(n) {
			return
		}
		for _, text := range called[name].call(t, core, value) {
			for _, phrase := range []string{"error in the provider", "provider developer:", "Value Conversion", "\x00", "\x1b"} {
				if strings.Contains(text, phrase) {
					t.Errorf("%s answers %s\nto %s", name, text, value)
				}
			}
		}
	}
	random := arguments{rand.New(rand.NewPCG(42, 1))}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for value := range random.places(called[name].arguments) {
				check(t, name, value)
			}
		})
	}
	t.Run("random", func(t *testing.T) {
		for i := range 1000 {
			name := names[i%len(names)]
			check(t, name, random.block(called[name].arguments))
		}
	})
}

// TestNullElementsOfCollections checks that a null element is an error that names the argument,
// except in maps in which it is an element that is missing.
func TestNullElementsOfCollections(t *testing.T) {
	t.Parallel()
	core, random, checked := providertest.NewCore(t, "shop"), arguments{rand.New(rand.NewPCG(42, 2))}, 0
	for name, c := range callers(t) {
		if strings.HasPrefix(name, "resource ") || strings.HasPrefix(name, "function ") { // which have rules of their own
			continue
		}
		for _, a := range c.arguments.Attributes {
			v := nullWithin(a.ValueType())
			if v.IsNull() || a.Computed && !a.Optional {
				continue
			}
			checked++
			said := strings.Join(c.call(t, core, random.with(c.arguments, a.Name, v)), "\n")
			omitted := a.Name == "headers" || a.Name == "query"
			named := strings.Contains(said, "ERROR "+a.Name+" Null element: ") ||
				strings.Contains(said, "ERROR "+a.Name+" Empty value: ") // of a token, which it would not restrict
			if named == omitted {
				t.Errorf("%s says of a null element of %s: %s", name, a.Name, said)
			}
		}
	}
	if checked < 40 {
		t.Errorf("%d arguments were checked, want at least 40", checked)
	}
}

// nullWithin returns a collection with a null element, or null of another type.
func nullWithin(typ tftypes.Type) tftypes.Value {
	switch typ := typ.(type) {
	case tftypes.List:
		return tftypes.NewValue(typ, []tftypes.Value{nullWithin(typ.ElementType)})
	case tftypes.Set:
		return tftypes.NewValue(typ, []tftypes.Value{nullWithin(typ.ElementType)})
	case tftypes.Map:
		return tftypes.NewValue(typ, map[string]tftypes.Value{"key": nullWithin(typ.ElementType)})
	default:
		return tftypes.NewValue(typ, nil)
	}
}

// caller is what has arguments, and how Terraform calls it. The call returns all diagnostics.
type caller struct {
	arguments *tfprotov6.SchemaBlock
	call      func(t *testing.T, core providertest.Core, value tftypes.Value) []string
}

// actions are the methods of a server that the interface of a provider does not have.
type actions interface {
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

func callers(t *testing.T) map[string]caller {
	t.Helper()
	schemas := providertest.NewTerraform(t).Schemas
	all := map[string]caller{"provider": {schemas.Provider.Block, callProvider}}
	for name, s := range schemas.ResourceSchemas {
		all["resource "+name] = caller{s.Block, func(t *testing.T, core providertest.Core, value tftypes.Value) []string {
			t.Helper()
			diags := core.Validate(t, name, value)
			if !providertest.HasErrors(diags) {
				_, planned := core.PlanChange(t, name, value, providertest.Instance{})
				diags = append(diags, planned...)
			}
			return providertest.Told(diags)
		}}
	}
	for name, s := range schemas.DataSourceSchemas {
		all["data source "+name] = caller{s.Block, func(t *testing.T, core providertest.Core, value tftypes.Value) []string {
			t.Helper()
			return inSteps(t, value, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
				resp, err := core.Server.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
					TypeName: name, Config: config,
				})
				return resp.Diagnostics, err
			}, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
				resp, err := core.Server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
				return resp.Diagnostics, err
			})
		}}
	}
	for name, s := range schemas.EphemeralResourceSchemas {
		all["ephemeral resource "+name] = caller{s.Block, func(t *testing.T, core providertest.Core, value tftypes.Value) []string {
			t.Helper()
			return inSteps(t, value, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
				resp, err := core.Server.ValidateEphemeralResourceConfig(t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{
					TypeName: name, Config: config,
				})
				return resp.Diagnostics, err
			}, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
				resp, err := core.Server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: config})
				return resp.Diagnostics, err
			})
		}}
	}
	for name, s := range schemas.ListResourceSchemas {
		all["list resource "+name] = caller{s.Block, func(t *testing.T, core providertest.Core, value tftypes.Value) []string {
			t.Helper()
			server, _ := core.Server.(actions)
			return inSteps(t, value, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
				resp, err := server.ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
					TypeName: name, Config: config,
				})
				return resp.Diagnostics, err
			}, func(config *tfprotov6.DynamicValue) (diags []*tfprotov6.Diagnostic, err error) {
				resp, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: name, Config: config})
				for result := range resp.Results {
					diags = append(diags, result.Diagnostics...)
				}
				return diags, err
			})
		}}
	}
	for name, s := range schemas.ActionSchemas {
		all["action "+name] = caller{s.Schema.Block, func(t *testing.T, core providertest.Core, value tftypes.Value) []string {
			t.Helper()
			server, _ := core.Server.(actions)
			plan := func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
				resp, err := server.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{ActionType: name, Config: config})
				return resp.Diagnostics, err
			}
			invoke := func(config *tfprotov6.DynamicValue) (diags []*tfprotov6.Diagnostic, err error) {
				resp, err := server.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{ActionType: name, Config: config})
				for event := range resp.Events {
					switch event := event.Type.(type) {
					case tfprotov6.ProgressInvokeActionEventType:
						diags = append(diags, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityWarning, Detail: event.Message})
					case tfprotov6.CompletedInvokeActionEventType:
						diags = append(diags, event.Diagnostics...)
					}
				}
				return diags, err
			}
			// The values of variables are unknown when Terraform validates the configuration, so
			// that each step may be the first to get a value.
			said := inSteps(t, value, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
				resp, err := server.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
				return resp.Diagnostics, err
			}, plan)
			return append(said, inSteps(t, value, plan, invoke)...)
		}}
	}
	for name, f := range schemas.Functions {
		all["function "+name] = function(name, f)
	}
	return all
}

// inSteps validates a configuration and, if all of it is known and valid, uses it.
func inSteps(t *testing.T, value tftypes.Value, validate, use func(*tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error)) []string {
	t.Helper()
	config := providertest.Pack(t, value)
	diags, err := validate(config)
	if err == nil && !providertest.HasErrors(diags) && value.IsFullyKnown() {
		var used []*tfprotov6.Diagnostic
		used, err = use(config)
		diags = append(diags, used...)
	}
	if err != nil {
		t.Errorf("%v\nto %s", err, value)
	}
	return providertest.Told(diags)
}

func callProvider(t *testing.T, _ providertest.Core, value tftypes.Value) []string {
	t.Helper()
	server := provider.NewServer("test", providertest.Impatient)()
	said := inSteps(t, value, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		resp, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
		return resp.Diagnostics, err
	}, func(*tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) { return nil, nil })
	if len(said) > 0 {
		return said
	}
	resp, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: providertest.Pack(t, value)})
	if err != nil {
		t.Error(err)
	}
	return providertest.Told(resp.Diagnostics)
}

// function calls a function whose arguments are the attributes of a block.
func function(name string, f *tfprotov6.Function) caller {
	parameters := slices.Clone(f.Parameters)
	if f.VariadicParameter != nil {
		parameters = append(parameters, f.VariadicParameter)
	}
	block := &tfprotov6.SchemaBlock{}
	for _, p := range parameters {
		block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{Name: p.Name, Type: p.Type, Required: !p.AllowNullValue})
	}
	return caller{block, func(t *testing.T, core providertest.Core, value tftypes.Value) []string {
		t.Helper()
		var values map[string]tftypes.Value
		testworld.NoError(t, value.As(&values))
		var packed []*tfprotov6.DynamicValue
		for _, p := range parameters {
			if v := values[p.Name]; v.IsNull() && !p.AllowNullValue || !v.IsFullyKnown() && !p.AllowUnknownValues {
				return nil // Terraform does not call the function
			}
			arguments, err := tfprotov6.NewDynamicValue(p.Type, values[p.Name])
			testworld.NoError(t, err)
			packed = append(packed, &arguments)
		}
		resp, err := core.Server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: name, Arguments: packed})
		if err != nil {
			t.Errorf("%v\nto %s", err, value)
		} else if resp.Error != nil {
			return []string{resp.Error.Text}
		}
		return nil
	}}
}

// arguments generates arguments of what has a schema, whether they are valid or not.
type arguments struct{ *rand.Rand }

// places returns values of a block that each have null, unknown or something else at one place,
// and otherwise what is required.
func (g arguments) places(b *tfprotov6.SchemaBlock) iter.Seq[tftypes.Value] {
	return func(yield func(tftypes.Value) bool) {
		for _, a := range b.Attributes {
			if a.Computed && !a.Optional {
				continue
			}
			for _, v := range places(a.ValueType()) {
				if (!a.Required || !v.IsNull()) && !yield(g.with(b, a.Name, v)) {
					return
				}
			}
		}
		for _, n := range b.BlockTypes {
			for inner := range g.places(n.Block) {
				v := inner
				if n.Nesting == tfprotov6.SchemaNestedBlockNestingModeList {
					v = tftypes.NewValue(n.ValueType(), []tftypes.Value{inner})
				}
				if !yield(g.with(b, n.TypeName, v)) {
					return
				}
			}
		}
	}
}

// places returns null, unknown, and collections with these at one place.
func places(typ tftypes.Type) []tftypes.Value {
	all := []tftypes.Value{tftypes.NewValue(typ, nil), tftypes.NewValue(typ, tftypes.UnknownValue)}
	text := tftypes.NewValue(tftypes.String, "a")
	within := func(of tftypes.Type, wrap func(...tftypes.Value) any) {
		all = append(all, tftypes.NewValue(typ, wrap()))
		for _, v := range places(of) {
			all = append(all, tftypes.NewValue(typ, wrap(v)))
		}
		if of.Is(tftypes.String) {
			for _, odd := range []any{nil, tftypes.UnknownValue} {
				all = append(all, tftypes.NewValue(typ, wrap(text, tftypes.NewValue(of, odd))))
			}
		}
	}
	if typ.Is(tftypes.String) {
		all = append(all, tftypes.NewValue(typ, "\x00\x1b[31m"))
	}
	list := func(elements ...tftypes.Value) any { return append([]tftypes.Value{}, elements...) }
	switch typ := typ.(type) {
	case tftypes.List:
		within(typ.ElementType, list)
	case tftypes.Set:
		within(typ.ElementType, list)
	case tftypes.Map:
		within(typ.ElementType, func(elements ...tftypes.Value) any {
			m := map[string]tftypes.Value{}
			for i, e := range elements {
				m[fmt.Sprint("key", i)] = e
			}
			return m
		})
	}
	if typ.Is(tftypes.DynamicPseudoType) {
		none := tftypes.NewValue(tftypes.DynamicPseudoType, nil)
		object := func(v tftypes.Value) tftypes.Value {
			return tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"type": v.Type()}}, map[string]tftypes.Value{"type": v})
		}
		for _, v := range append(places(tftypes.String), none, text, object(none), object(text)) {
			all = append(all, v, object(v), tftypes.NewValue(tftypes.Tuple{ElementTypes: []tftypes.Type{v.Type()}}, []tftypes.Value{v}))
		}
	}
	return all
}

// usual are values of arguments with which a call gets to the others.
var usual = map[string]string{
	"mesh": "shop", "dataplane": "web-1", "service": "web", "name": "web-1", "zone": "zone-1", "type": "dataplane",
	"valid_for": "1h", "timeout": "10ms",
}

// with returns a value of a block that has only what is required, except for one value.
func (g arguments) with(b *tfprotov6.SchemaBlock, name string, v tftypes.Value) tftypes.Value {
	values := map[string]tftypes.Value{}
	for _, a := range b.Attributes {
		values[a.Name] = tftypes.NewValue(a.ValueType(), nil)
		if text, ok := usual[a.Name]; ok && (a.Required || a.Optional) {
			values[a.Name] = tftypes.NewValue(tftypes.String, text)
		} else if a.Required {
			values[a.Name] = g.value(a.ValueType(), 0)
		}
	}
	for _, n := range b.BlockTypes {
		values[n.TypeName] = tftypes.NewValue(n.ValueType(), nil)
		if n.Nesting == tfprotov6.SchemaNestedBlockNestingModeList {
			values[n.TypeName] = tftypes.NewValue(n.ValueType(), []tftypes.Value{})
		}
	}
	values[name] = v
	return tftypes.NewValue(b.ValueType(), values)
}

// block returns a random value of a block.
func (g arguments) block(b *tfprotov6.SchemaBlock) tftypes.Value {
	values := map[string]tftypes.Value{}
	for _, a := range b.Attributes {
		values[a.Name] = tftypes.NewValue(a.ValueType(), nil)
		if a.Required || a.Optional && g.IntN(3) == 0 {
			values[a.Name] = g.value(a.ValueType(), 10)
		}
	}
	for _, n := range b.BlockTypes {
		if n.Nesting == tfprotov6.SchemaNestedBlockNestingModeList {
			elements := []tftypes.Value{}
			for range max(0, g.IntN(4)-1) {
				elements = append(elements, g.block(n.Block))
			}
			values[n.TypeName] = tftypes.NewValue(n.ValueType(), elements)
		} else if values[n.TypeName] = tftypes.NewValue(n.ValueType(), nil); g.IntN(3) == 0 {
			values[n.TypeName] = g.block(n.Block)
		}
	}
	return tftypes.NewValue(b.ValueType(), values)
}

// value returns a random value, of which one in odd is null or unknown; none if odd is zero.
func (g arguments) value(typ tftypes.Type, odd int) tftypes.Value {
	if odd > 0 && g.IntN(odd) == 0 {
		return tftypes.NewValue(typ, []any{nil, tftypes.UnknownValue}[g.IntN(2)])
	}
	elements := func(typ tftypes.Type) []tftypes.Value {
		all := []tftypes.Value{}
		for range g.IntN(3) {
			all = append(all, g.value(typ, odd))
		}
		return all
	}
	switch typ := typ.(type) {
	case tftypes.List:
		return tftypes.NewValue(typ, elements(typ.ElementType))
	case tftypes.Set:
		all := elements(typ.ElementType)
		return tftypes.NewValue(typ, all[:min(1, len(all))]) // which are not equal
	case tftypes.Map:
		m := map[string]tftypes.Value{}
		for _, e := range elements(typ.ElementType) {
			m[g.text()] = e
		}
		return tftypes.NewValue(typ, m)
	case tftypes.Object:
		m := map[string]tftypes.Value{}
		for name, t := range typ.AttributeTypes {
			m[name] = g.value(t, odd)
		}
		return tftypes.NewValue(typ, m)
	}
	switch {
	case typ.Is(tftypes.Bool):
		return tftypes.NewValue(typ, g.IntN(2) == 0)
	case typ.Is(tftypes.Number):
		huge, _ := new(big.Float).SetString("1e400")
		return tftypes.NewValue(typ, []any{0, -1, 0.5, 15006, int64(1) << 62, huge}[g.IntN(6)])
	case typ.Is(tftypes.DynamicPseudoType):
		return g.dynamic(odd)
	default:
		return tftypes.NewValue(typ, g.text())
	}
}

// dynamic returns a value of a random type.
func (g arguments) dynamic(odd int) tftypes.Value {
	switch g.IntN(5) {
	case 0:
		return g.value(tftypes.Number, odd)
	case 1:
		return g.value(tftypes.List{ElementType: tftypes.String}, odd)
	case 2:
		e := g.dynamic(odd)
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: []tftypes.Type{e.Type()}}, []tftypes.Value{e})
	case 3:
		types, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
		for _, name := range []string{"type", "name", "mesh", "spec"} {
			v := g.value(tftypes.String, odd)
			if name == "spec" && g.IntN(2) == 0 {
				v = g.dynamic(odd)
			}
			types[name], values[name] = v.Type(), v
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
	default:
		return g.value(tftypes.String, odd)
	}
}

// text returns a string that is valid somewhere, or odd.
func (g arguments) text() string {
	all := []string{
		"shop", "web-1", "MeshTimeout", "Mesh", "10ms", "2.14", "dataplane", "default", "a=b", "{}", "[]",
		"type: Mesh\nname: shop\n", "kri_mt_shop___a_",
		"", " ", "\x00", "\x1b[31m", "ü", "a\nb", "-1", "null", "${x}", "[", strings.Repeat("a", 100_000), strings.Repeat("[", 1000),
	}
	return all[g.IntN(len(all))]
}

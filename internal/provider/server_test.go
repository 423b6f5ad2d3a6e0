package provider

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

type bulk [1 << 16]byte

type bulkKey struct{}

// TestContextsAreReleased checks that data of a request is released after it.
func TestContextsAreReleased(t *testing.T) {
	t.Parallel()
	s := NewServer("test", Waits{})()
	request := func() weak.Pointer[bulk] {
		b := &bulk{}
		ctx := context.WithValue(t.Context(), bulkKey{}, b)
		if _, err := s.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: "kuma_zone", RawState: &tfprotov6.RawState{JSON: []byte("{}")}}); err != nil {
			t.Fatal(err)
		}
		return weak.Make(b)
	}
	kept := request()
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the server keeps the context of a request")
	}
	runtime.KeepAlive(s)
}

func TestRequestContext(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), bulkKey{}, "value"))
	ctx, release := withRequest(parent)
	if ctx.Value(bulkKey{}) != "value" {
		t.Error("the context does not have the values of the request")
	}
	child, cancelChild := context.WithCancel(ctx)
	defer cancelChild()
	cancel()
	<-child.Done() // the request ends, and with it the derived context
	release()
	if ctx.Value(bulkKey{}) != nil || ctx.Err() == nil {
		t.Error("a context is still there after it was released")
	}
}

// TestRequestsAreCounted checks that waiting calls know of every request in progress,
// of any method.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	s := NewServer("test", Waits{})().(server)
	run := s.provider.run.Load()
	during := 0
	answer := func(context.Context, int) (int, error) { during = run.InProgress(); return 0, nil }
	if _, err := handle(t.Context(), s, answer, 0); err != nil || during != 1 || run.InProgress() != 0 {
		t.Errorf("%d calls during a request and %d after it, want 1 and 0", during, run.InProgress())
	}
}

// TestPlanOfNothing checks that a resource is planned unchanged if no change is
// proposed.
func TestPlanOfNothing(t *testing.T) {
	t.Parallel()
	zone := schemaOf(t, "kuma_zone")
	values := map[string]tftypes.Value{}
	for name, at := range zone.(tftypes.Object).AttributeTypes {
		values[name] = tftypes.NewValue(at, nil)
	}
	packed, err := tfprotov6.NewDynamicValue(zone, tftypes.NewValue(zone, values))
	testworld.NoError(t, err)
	state := &packed
	identity := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: []byte("the identity")}}
	resp, err := NewServer("test", Waits{})().PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "kuma_zone", PriorState: state, ProposedNewState: &tfprotov6.DynamicValue{MsgPack: slices.Clone(state.MsgPack)}, Config: state,
		PriorPrivate: []byte("private"), PriorIdentity: identity,
	})
	if err != nil || resp.PlannedState != state || string(resp.PlannedPrivate) != "private" || resp.PlannedIdentity != identity || len(resp.Diagnostics) > 0 {
		t.Errorf("PlanResourceChange() = %+v, %v, want what is there", resp, err)
	}
}

func schemaOf(t *testing.T, typeName string) tftypes.Type {
	t.Helper()
	s, err := NewServer("test", Waits{})().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	testworld.NoError(t, err)
	return s.ResourceSchemas[typeName].ValueType()
}

func TestSilenceLibraryLogs(t *testing.T) {
	for name, test := range map[string]struct{ asked, want string }{
		"not set":   {"", "ERROR"},
		"asked for": {"DEBUG", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, level := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER"} {
				t.Setenv(level, "")
			}
			t.Setenv("TF_LOG", test.asked)
			if err := SilenceLibraryLogs(); err != nil || os.Getenv("TF_LOG_SDK_FRAMEWORK") != test.want {
				t.Errorf("SilenceLibraryLogs() = %v, and the level is %q, want %q", err, os.Getenv("TF_LOG_SDK_FRAMEWORK"), test.want)
			}
		})
	}
}

// TestAliasesOfAListOfTexts checks that YAML aliases in a list of strings, each of
// them small, cannot take gigabytes of memory together.
func TestAliasesOfAListOfTexts(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("a: &a [1,1,1,1,1,1,1,1,1,1]\n")
	for _, names := range []string{"ab", "bc", "cd", "de"} {
		fmt.Fprintf(&text, "%c: &%c [%s]\n", names[1], names[1], strings.TrimSuffix(strings.Repeat("*"+names[:1]+",", 10), ","))
	}
	yaml := "{type: Dataplane, name: web, networking: {address: 10.0.0.1}}\n---\ntype: MeshRetry\nname: t\nspec:\n  " + strings.ReplaceAll(text.String(), "\n", "\n  ")
	for name, test := range map[string]struct {
		texts int
		want  string
	}{
		"one":  {1, ""},
		"many": {10, "expands too much"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			texts := make([]tftypes.Value, test.texts)
			elems := make([]tftypes.Type, test.texts)
			for i := range texts {
				texts[i], elems[i] = tftypes.NewValue(tftypes.String, yaml), tftypes.String
			}
			list := tftypes.Tuple{ElementTypes: elems}
			proxies := tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"dataplane": tftypes.String}}, map[string]tftypes.Value{"dataplane": tftypes.NewValue(tftypes.String, "web")})
			arguments := make([]*tfprotov6.DynamicValue, 2)
			for i, v := range []tftypes.Value{tftypes.NewValue(list, texts), proxies} {
				value, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, v)
				testworld.NoError(t, err)
				arguments[i] = &value
			}
			resp, err := NewServer("test", Waits{})().CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{Name: "effective_rules", Arguments: arguments})
			testworld.NoError(t, err)
			got := ""
			if resp.Error != nil {
				got = resp.Error.Text
			}
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("effective_rules of %d texts: got error %q, want %q", test.texts, got, test.want)
			}
		})
	}
}

package provider

import (
	"context"
	"os"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

type bulk [1 << 16]byte

type bulkKey struct{}

// TestContextsAreGivenBack: what belongs to a request is gone after it.
func TestContextsAreGivenBack(t *testing.T) {
	t.Parallel()
	s := NewServer("test")()
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

func TestLentContext(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), bulkKey{}, "value"))
	ctx, giveBack := lend(parent)
	if ctx.Value(bulkKey{}) != "value" {
		t.Error("a lent context does not have the values of the request")
	}
	child, cancelChild := context.WithCancel(ctx)
	defer cancelChild()
	cancel()
	<-child.Done() // the request ends, and with it what is made of it
	giveBack()
	if ctx.Value(bulkKey{}) != nil || ctx.Err() == nil {
		t.Error("a context is still there after it was given back")
	}
}

// TestPlanOfNothing: what is proposed as it is stays as it is, whatever else
// belongs to it.
func TestPlanOfNothing(t *testing.T) {
	t.Parallel()
	state := &tfprotov6.DynamicValue{MsgPack: []byte("the state")}
	identity := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: []byte("the identity")}}
	resp, err := NewServer("test")().PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "kuma_zone", PriorState: state, ProposedNewState: &tfprotov6.DynamicValue{MsgPack: []byte("the state")},
		PriorPrivate: []byte("private"), PriorIdentity: identity,
	})
	if err != nil || resp.PlannedState != state || string(resp.PlannedPrivate) != "private" || resp.PlannedIdentity != identity || len(resp.Diagnostics) > 0 {
		t.Errorf("PlanResourceChange() = %+v, %v, want what is there", resp, err)
	}
}

func TestQuiet(t *testing.T) {
	for name, test := range map[string]struct{ asked, want string }{
		"nobody asks": {"", "ERROR"},
		"asked for":   {"DEBUG", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, level := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER"} {
				t.Setenv(level, "")
			}
			t.Setenv("TF_LOG", test.asked)
			if err := Quiet(); err != nil || os.Getenv("TF_LOG_SDK_FRAMEWORK") != test.want {
				t.Errorf("Quiet() = %v, and the level is %q, want %q", err, os.Getenv("TF_LOG_SDK_FRAMEWORK"), test.want)
			}
		})
	}
}

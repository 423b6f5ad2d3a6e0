package token_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const userRevocations = "user-token-revocations"

// configured returns a provider with a configuration.
func configured(t *testing.T, config map[string]any) tfprotov6.ProviderServer {
	t.Helper()
	server := provider.NewServer("test", providertest.Impatient)()
	if ok, said := providertest.ConfigureServer(t, server, config); !ok {
		t.Fatal(said)
	}
	return server
}

// invoke invokes an action, and returns what it reports.
func invoke(t *testing.T, server tfprotov6.ProviderServer, typeName string, arguments map[string]any) (diags []*tfprotov6.Diagnostic) {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Error(err)
		return nil
	}
	typ := schemas.ActionSchemas[typeName].Schema.ValueType()
	config, err := tfprotov6.NewDynamicValue(typ, providertest.ValueOf(t, typ, arguments))
	if err != nil {
		t.Error(err)
		return nil
	}
	req := &tfprotov6.InvokeActionRequest{ActionType: typeName, Config: &config}
	stream, err := server.(tfprotov6.ActionServer).InvokeAction(t.Context(), req)
	if err != nil {
		t.Error(err)
		return nil
	}
	for event := range stream.Events {
		if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
			diags = append(diags, completed.Diagnostics...)
		}
	}
	return diags
}

// TestActionsOfTwoConfigurations invokes actions at the same time through two configurations
// of the provider, one of which overwrites changes of others.
func TestActionsOfTwoConfigurations(t *testing.T) {
	t.Parallel()
	rounds := 3
	switch {
	case testworld.Nightly():
		rounds = 100
	case testing.Short():
		rounds = 1
	}
	for range rounds {
		cp := providertest.NewEmbedded(t)
		servers := []tfprotov6.ProviderServer{
			configured(t, map[string]any{"embedded": map[string]any{"directory": cp.Dir}}),
			configured(t, map[string]any{"embedded": map[string]any{"directory": cp.Dir}, "concurrent_changes": "overwrite"}),
		}
		var actions sync.WaitGroup
		var want []string
		for i := range 12 {
			id := fmt.Sprintf("id-%02d", i)
			want = append(want, id)
			actions.Go(func() {
				if diags := invoke(t, servers[i%2], "kuma_revoke_token", map[string]any{"type": "user", "ids": []any{id}}); len(diags) > 0 {
					t.Errorf("%s: %s", id, providertest.Messages(diags))
				}
			})
		}
		for i := range 2 {
			actions.Go(func() {
				if diags := invoke(t, servers[i%2], "kuma_rotate_signing_key", map[string]any{"type": "user"}); len(diags) > 0 {
					t.Errorf("rotation %d: %s", i, providertest.Messages(diags))
				}
			})
		}
		actions.Wait()
		got := strings.Split(secretText(t, cp, "", userRevocations), ",")
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("the list is %q, want %q", got, want)
		}
		if got := storedNames(t, cp, kinds.GlobalSecret, "", "user-token-signing-key-"); !slices.Equal(got, []string{"1", "2"}) {
			t.Fatalf("the keys are %q, want two", got)
		}
	}
}

// TestRevocationWhileOthersWrite revokes a token while another client writes the list, on a
// control plane that ignores conditions of requests, as those of Kuma.
func TestRevocationWhileOthersWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		list   string // at first; empty for none
		read   string // what the other client writes after the first read of the action
		before string // what it writes before the first write of the action
		after  string // what it writes after a write of the action
		times  int    // how often it writes that
		want   string // the list at the end
		said   string
	}{
		"undone":                 {list: "first", after: "first,other", times: 1, want: "first,other,own"},
		"undone, new list":       {after: "other", times: 1, want: "other,own"},
		"undone again and again": {list: "first", after: "first,other", times: 100, want: "first,other", said: "changed GlobalSecret \"user-token-revocations\" each time the action had written it"},
		"created meanwhile":      {read: "other", want: "other,own"},
		"overwritten":            {before: "other", want: "own", said: "was created by another client at the same time, and has been overwritten. The tokens of this action are revoked."},
		"overwritten, restored":  {before: "other", after: "own,other", times: 1, want: "own,other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewEmbedded(t)
			write := func(list string) {
				secret := kuma.Resource{Type: "GlobalSecret", Name: userRevocations, Body: map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(list))}}
				if _, _, err := cp.Client.Put(t.Context(), kinds.GlobalSecret, secret); err != nil {
					t.Error(err)
				}
			}
			if test.list != "" {
				write(test.list)
			}
			reads, writes := 0, 0
			server, err := embedded.New(embedded.Config{Directory: cp.Dir, Zone: "zone-1", Release: kuma.Newest2()})
			testworld.NoError(t, err)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del("If-None-Match")
				onList := strings.HasSuffix(r.URL.Path, userRevocations)
				if onList && r.Method == http.MethodPut && writes == 0 && test.before != "" {
					write(test.before)
				}
				server.ServeHTTP(w, r)
				switch {
				case !onList:
				case r.Method == http.MethodGet:
					if reads++; reads == 1 && test.read != "" {
						write(test.read)
					}
				default:
					if writes++; writes <= test.times {
						write(test.after)
					}
				}
			}))
			t.Cleanup(s.Close)
			diags := invoke(t, configured(t, map[string]any{"endpoint": s.URL}), "kuma_revoke_token", map[string]any{"type": "user", "ids": []any{"own"}})
			if said := providertest.Messages(diags); (test.said == "") != (said == "") || !strings.Contains(said, test.said) {
				t.Errorf("the action reports %q, want %q", said, test.said)
			}
			if got := secretText(t, cp, "", userRevocations); got != test.want {
				t.Errorf("the list is %q, want %q", got, test.want)
			}
		})
	}
}

// TestActionsThatRejectTheirOwnToken carries out actions with a token that the control plane
// rejects from the first change on: what is not certain is not said.
func TestActionsThatRejectTheirOwnToken(t *testing.T) {
	t.Parallel()
	for typeName, test := range map[string]struct {
		change    string // the method of the first request that is rejected afterwards
		arguments map[string]any
		said      []string
	}{
		"kuma_revoke_token":       {http.MethodPut, map[string]any{"ids": []any{"own"}}, []string{"It is not certain that the change is stored: "}},
		"kuma_rotate_signing_key": {http.MethodDelete, map[string]any{"keep_previous": 0}, []string{"signed with user-token-signing-key-1 and user-token-signing-key-2 may still be valid"}},
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			cp := providertest.NewEmbedded(t)
			for serial := range 2 {
				key := kuma.Resource{Type: "GlobalSecret", Name: fmt.Sprint("user-token-signing-key-", serial+1), Body: map[string]any{"data": "YQ=="}}
				cp.Put(t, key)
			}
			server, err := embedded.New(embedded.Config{Directory: cp.Dir, Zone: "zone-1", Release: kuma.Newest2()})
			testworld.NoError(t, err)
			rejects := false
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if rejects {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				server.ServeHTTP(w, r)
				rejects = r.Method == test.change
			}))
			t.Cleanup(s.Close)
			test.arguments["type"] = "user"
			said := providertest.Messages(invoke(t, configured(t, map[string]any{"endpoint": s.URL}), typeName, test.arguments))
			for _, want := range append(test.said, "the control plane rejected the token") {
				if !strings.Contains(said, want) {
					t.Errorf("the action reports %q, want %q", said, want)
				}
			}
		})
	}
}

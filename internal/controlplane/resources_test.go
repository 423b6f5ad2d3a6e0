package controlplane_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// TestIncompleteLists checks the error when every page of a list links to another one, or
// resources are missing.
func TestIncompleteLists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		page func(offset int) string
		most int // requests
		want string
	}{
		"link back":        {func(int) string { return `{"total":2,"items":[],"next":"http://x/meshtimeouts?offset=0"}` }, 1, "links to a next page at offset 0"},
		"link behind end":  {func(int) string { return `{"total":2,"items":[],"next":"http://x/meshtimeouts?offset=2"}` }, 1, `its total is "2"`},
		"no total":         {func(int) string { return `{"items":[],"next":"http://x/meshtimeouts?offset=2"}` }, 1, `its total is ""`},
		"fewer than total": {func(int) string { return `{"total":50,"items":[` + webTimeout + `],"next":null}` }, 1, "the list ends after 1 of 50 resources"},
		"skipped resources": {func(int) string {
			return `{"total":50,"items":[` + webTimeout + `],"next":"http://x/meshtimeouts?offset=2"}`
		}, 1, "the page after 1 resources is at offset 2"},
		"growing total": {func(offset int) string {
			return fmt.Sprintf(`{"total":%d,"items":[%s],"next":"http://x/meshtimeouts?offset=%d"}`, offset+2, webTimeout, offset+1)
		}, 1000, "more than 1000 pages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			network := responder(func(r *http.Request) (*http.Response, error) {
				if requests.Add(1) > 2000 {
					return nil, errors.New("the client never stops")
				}
				offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
				return response(r, http.StatusOK, nil, test.page(offset)), nil
			})
			_, err := client(t, controlplane.Config{Endpoint: "http://cp", Transport: network, MaxRetries: -1}).List(t.Context(), kinds.MeshTimeout, "default")
			var unexpected *controlplane.UnexpectedAnswerError
			if !errors.As(err, &unexpected) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("List() = %v, want an UnexpectedAnswerError with %q", err, test.want)
			}
			if int(requests.Load()) != test.most {
				t.Errorf("the client sent %d requests, want %d", requests.Load(), test.most)
			}
		})
	}
}

// TestAnswersAboutSomethingElse checks that the response of a cache or a misrouted
// request is not mistaken for the requested resource.
func TestAnswersAboutSomethingElse(t *testing.T) {
	t.Parallel()
	const other, global = `{"type":"MeshTimeout","mesh":"shop","name":"web","spec":{}}`, `{"type":"Mesh","name":"shop"}`
	get := func(k def.Kind, meshName, name string) func(*controlplane.Client) error {
		return func(c *controlplane.Client) error {
			_, err := c.Get(t.Context(), k, meshName, name)
			return err
		}
	}
	list := func(k def.Kind, meshName string) func(*controlplane.Client) error {
		return func(c *controlplane.Client) error {
			_, err := c.List(t.Context(), k, meshName)
			return err
		}
	}
	items := func(item string) string { return `{"total":1,"items":[` + item + `],"next":null}` }
	for name, test := range map[string]struct {
		ask  func(*controlplane.Client) error
		body string
		want []string // nil: no error
	}{
		"itself":                {get(kinds.MeshTimeout, "shop", "web"), other, nil},
		"other name":            {get(kinds.MeshTimeout, "shop", "cart"), other, []string{`MeshTimeout "web" of mesh "shop"`, `MeshTimeout "cart" of mesh "shop"`}},
		"other mesh":            {get(kinds.MeshTimeout, "default", "web"), other, []string{`MeshTimeout "web" of mesh "shop"`, `MeshTimeout "web" of mesh "default"`}},
		"no mesh":               {get(kinds.MeshTimeout, "shop", "web"), `{"type":"MeshTimeout","name":"web","spec":{}}`, []string{`mesh "default"`, `mesh "shop"`}},
		"global":                {get(kinds.Mesh, "ignored", "shop"), global, nil},
		"global, other name":    {get(kinds.Mesh, "", "default"), global, []string{`Mesh "shop"`, `Mesh "default"`}},
		"list of the mesh":      {list(kinds.MeshTimeout, "shop"), items(other), nil},
		"list of another mesh":  {list(kinds.MeshTimeout, "default"), items(other), []string{`MeshTimeout "web" of mesh "shop"`, `list of mesh "default"`}},
		"list over all meshes":  {list(kinds.MeshTimeout, ""), items(other), nil},
		"list of a global kind": {list(kinds.Mesh, "ignored"), items(global), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, test.body) })
			err := test.ask(client(t, controlplane.Config{Endpoint: endpoint}))
			var unexpected *controlplane.UnexpectedAnswerError
			if errors.As(err, &unexpected) != (test.want != nil) || test.want == nil && err != nil {
				t.Fatalf("got error %v, want an UnexpectedAnswerError: %t", err, test.want != nil)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error %q does not name %s", err, part)
				}
			}
		})
	}
}

package e2e_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestConditionsOnKuma3 writes the examples of all conditions to a real control plane of
// Kuma 3.0: what it does with those whose outcome is marked as measured must be that
// outcome. The others are stated, and listed.
func TestConditionsOnKuma3(t *testing.T) {
	t.Parallel()
	if providertest.RealEndpoint == "" {
		t.Skip("needs a real control plane")
	}
	bothOfKuma3(t)
	measured := map[string]bool{}
	for _, c := range kuma3.Conditions() {
		measured[c.ID] = c.MeasuredWrite
	}
	cases := testworld.Document(t, testworld.Text(t, testworld.Path("internal", "kuma3", "testdata", "conditions.yaml")))
	for _, id := range slices.Sorted(maps.Keys(cases)) {
		for _, example := range cases[id].([]any) {
			doc := tree.Object(tree.Object(example)["unready"])
			r := testworld.FromDocument(t, doc)
			i := slices.IndexFunc(kuma3.Check(r), func(p kuma3.Problem) bool { return p.ID == id })
			p := kuma3.Check(r)[i]
			want, got := max(p.Written, kuma3.Accepted), writtenToKuma3(t, r, p.Path)
			switch {
			case measured[id] && got != want:
				t.Errorf("%s: the outcome is %q, but want the measured %q: %v", id, got, want, doc)
			case !measured[id]:
				t.Logf("%s: stated %q, and here %q", id, want, got)
			}
		}
	}
}

// writtenToKuma3 returns what a control plane does with a document that has something at a
// path: a rejection counts if it names the path, or what contains it.
func writtenToKuma3(t *testing.T, r kuma.Resource, at tree.Path) kuma3.Outcome {
	t.Helper()
	k, ok := kinds.Find(r.Type)
	if !ok {
		older, _ := kinds.FindOlder(r.Type)
		k = older.Kind
	}
	doc := r.Document()
	path := "/" + k.Path + "/" + r.Name
	if k.Scope == def.InMesh {
		path, doc["mesh"] = "/meshes/shop"+path, "shop"
	}
	putToKuma3(t, "/meshes/shop", map[string]any{"type": kuma.KindMesh, "name": "shop"})
	status, text := putToKuma3(t, path, doc)
	defer request(t, http.DefaultClient, http.MethodDelete, path, nil) //nolint:errcheck // it may not exist
	switch {
	case status == http.StatusNotFound:
		return kuma3.NotFound
	case status >= http.StatusBadRequest && names(text, at):
		return kuma3.Rejected
	case status >= http.StatusBadRequest:
		t.Logf("rejected for another reason: %s", text)
		return kuma3.AsDeclared
	}
	_, stored := request(t, http.DefaultClient, http.MethodGet, path, nil)
	v, err := tree.DecodeJSON(stored)
	testworld.NoError(t, err)
	if tree.At(v, at) == nil {
		return kuma3.Dropped
	}
	return kuma3.Accepted
}

func putToKuma3(t *testing.T, path string, doc map[string]any) (int, []byte) {
	t.Helper()
	body, err := json.Marshal(doc)
	testworld.NoError(t, err)
	return request(t, http.DefaultClient, http.MethodPut, path, body)
}

// names reports whether an error has a violation at a path, beside it, or in what contains it.
func names(text []byte, at tree.Path) bool {
	var answer struct {
		Invalid []struct{ Field string } `json:"invalid_parameters"`
	}
	_ = json.Unmarshal(text, &answer)
	plain := strings.NewReplacer(`["`, ".", `"]`, "", "default.", "", "backends.backend[", "backends[").Replace
	return slices.ContainsFunc(answer.Invalid, func(v struct{ Field string }) bool {
		return strings.HasPrefix(plain(v.Field), plain(at.Parent().String())) || strings.HasPrefix(plain(at.String()), plain(v.Field))
	})
}

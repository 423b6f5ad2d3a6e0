package main

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestWritesAreRecordedAgain(t *testing.T) {
	t.Parallel()
	var refuse atomic.Bool
	s := fakeControlPlane(t, &refuse)
	file := filepath.Join(t.TempDir(), "writes.json")
	writeFile(t, file, `[{"name": "w", "put": {"type": "MeshTimeout", "mesh": "m", "name": "t"}, "status": 400, "error": {}}]`)
	record := func() string {
		testworld.NoError(t, recordWrites(t.Context(), s, file, computed...))
		return readFile(t, file)
	}

	const accepted = `[
 {
  "name": "w",
  "put": {
   "type": "MeshTimeout",
   "mesh": "m",
   "name": "t"
  },
  "status": 201,
  "get": {
   "name": "t",
   "next": "http://127.0.0.1:24001/x",
   "spec": {},
   "type": "MeshTimeout"
  }
 }
]
`
	got := record()
	testworld.Equal(t, "accepted", accepted, got)
	if diff := cmp.Diff(got, record()); diff != "" {
		t.Errorf("the same answers give another recording (-first +second):\n%s", diff)
	}

	refuse.Store(true)
	got = record()
	refused := tree.Objects(parse(t, got))[0]
	if verdict := tree.Object(refused["error"]); verdict["title"] != "No" || verdict["details"] != nil || refused["get"] != nil {
		t.Errorf("rejected: %s", got)
	}
	for range 3 {
		if diff := cmp.Diff(got, record()); diff != "" {
			t.Errorf("the same rejection gives another recording (-first +second):\n%s", diff)
		}
	}
}

func TestLabelRow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		got  oracle.Answer
		want labelRow
	}{
		"accepted":        {oracle.Answer{Status: 201, Body: object{}}, labelRow{On: "zone"}},
		"unknown kind":    {oracle.Answer{Status: 404, Body: "404: Page Not Found"}, labelRow{On: "zone", Status: 404}},
		"labels rejected": {oracle.Answer{Status: 400, Body: parse(t, `{"invalid_parameters": [{"field": "labels[\"b\"]"}, {"field": "labels[\"a\"]"}, {"field": "labels[\"a\"]"}]}`)}, labelRow{On: "zone", Refused: []string{"a", "b"}}},
		"something wrong": {oracle.Answer{Status: 400, Body: parse(t, `{"invalid_parameters": [{"field": "spec"}]}`)}, labelRow{On: "zone", Status: 400}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := labelRow{On: "zone", Refused: []string{"old"}}
			row.answer(tt.got)
			testworld.Equal(t, "row", tt.want, row)
		})
	}
}

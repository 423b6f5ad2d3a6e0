package main

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWritesAreRecordedAgain(t *testing.T) {
	t.Parallel()
	var refuse atomic.Bool
	s := fakeControlPlane(t, &refuse)
	file := filepath.Join(t.TempDir(), "writes.json")
	writeFile(t, file, `[{"name": "w", "put": {"type": "MeshTimeout", "mesh": "m", "name": "t"}, "status": 400, "error": {}}]`)
	record := func() string {
		if err := recordWrites(t.Context(), s, file, computed...); err != nil {
			t.Fatal(err)
		}
		return readFile(t, file)
	}

	const accepted = `[{"name": "w", "put": {"type": "MeshTimeout", "mesh": "m", "name": "t"}, "status": 201, "get": {"type": "MeshTimeout", "name": "t", "spec": {}, "next": "http://127.0.0.1:24001/x"}}]`
	got := record()
	if diff := cmp.Diff(accepted, oneLine(parse(t, got))); diff != "" {
		t.Errorf("accepted (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got, record()); diff != "" {
		t.Errorf("the same answers give another recording (-first +second):\n%s", diff)
	}

	refuse.Store(true)
	got = record()
	refused := parse(t, got).([]any)[0].(object)
	if verdict := refused.object("error"); verdict.text("title") != "No" || verdict.get("details") != nil || refused.get("get") != nil {
		t.Errorf("rejected: %s", oneLine(refused))
	}
	for range 3 {
		if diff := cmp.Diff(got, record()); diff != "" {
			t.Errorf("the same rejection gives another recording (-first +second):\n%s", diff)
		}
	}
}

func TestLabelRow(t *testing.T) {
	t.Parallel()
	row := object{{"on", "zone"}, {"refused", []any{"old"}}}
	for name, tt := range map[string]struct {
		got  answer
		want string
	}{
		"accepted":        {answer{201, object{}}, `{"on": "zone"}`},
		"unknown kind":    {answer{404, "404: Page Not Found"}, `{"on": "zone", "status": 404}`},
		"labels rejected": {answer{400, parse(t, `{"invalid_parameters": [{"field": "labels[\"b\"]"}, {"field": "labels[\"a\"]"}, {"field": "labels[\"a\"]"}]}`)}, `{"on": "zone", "refused": ["a", "b"]}`},
		"something wrong": {answer{400, parse(t, `{"invalid_parameters": [{"field": "spec"}]}`)}, `{"on": "zone", "status": 400}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, oneLine(labelRow(row, tt.got))); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
		})
	}
}

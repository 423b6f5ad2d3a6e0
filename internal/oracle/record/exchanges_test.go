package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// fakeControlPlane answers like a control plane that stores no resource; times and
// identifiers differ in each answer.
func fakeControlPlane(t *testing.T, refuse *atomic.Bool) *oracle.Site {
	t.Helper()
	var answers atomic.Int64
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := answers.Add(1)
		switch {
		case r.Method == http.MethodPut && refuse.Load():
			w.WriteHeader(http.StatusBadRequest)
			violations := []string{`{"field": "a", "reason": "x"}`, `{"field": "b", "reason": "y"}`}
			fmt.Fprintf(w, `{"type": "/std-errors", "status": 400, "title": "No", "detail": "no", "invalid_parameters": [%s, %s], "details": "no"}`, violations[n%2], violations[1-n%2])
		case r.Method == http.MethodPut:
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{}`)
		case r.Method == http.MethodGet:
			fmt.Fprintf(w, `{"type": "MeshTimeout", "name": "t", "creationTime": "2026-01-01T00:00:%02dZ", "spec": {}, "next": "http://%s/x"}`, n%60, r.Host)
		}
	}))
	t.Cleanup(fake.Close)
	return &oracle.Site{Endpoint: fake.URL}
}

const recordedExchanges = `[
{"name":"put","given":"absent","request":{"method":"PUT","path":"/meshes/m/meshtimeouts/t","headers":{"Accept":"application/json","Content-Type":"application/json"},"body":{"type":"MeshTimeout","name":"t"}},"response":{"status":201,"body":{}}},
{"name":"get","request":{"method":"GET","path":"/meshes/m/meshtimeouts/t","headers":{"Accept":"application/json"},"body":null},"response":{"status":200,"body":{"creationTime":"2020-01-01T00:00:00Z","name":"t","next":"http://127.0.0.1:24001/x","spec":{},"type":"MeshTimeout"}}}
]
`

func TestExchangesChangeWhereTheAnswerDoes(t *testing.T) {
	t.Parallel()
	var refuse atomic.Bool
	s := fakeControlPlane(t, &refuse)
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	writeFile(t, file, recordedExchanges)

	for range 2 {
		testworld.NoError(t, recordExchanges(t.Context(), s, dir))
		if diff := cmp.Diff(recordedExchanges, readFile(t, file)); diff != "" {
			t.Fatalf("the same answers give another recording (-recorded +again):\n%s", diff)
		}
	}

	refuse.Store(true)
	testworld.NoError(t, recordExchanges(t.Context(), s, dir))
	refused := readFile(t, file)
	if !cmp.Equal(line(refused, 2), line(recordedExchanges, 2)) {
		t.Errorf("an unchanged answer is recorded again: %s", line(refused, 2))
	}
	if cmp.Equal(line(refused, 1), line(recordedExchanges, 1)) {
		t.Errorf("the rejection is not recorded: %s", line(refused, 1))
	}
	for range 3 { // the order of violations is random
		testworld.NoError(t, recordExchanges(t.Context(), s, dir))
		if diff := cmp.Diff(refused, readFile(t, file)); diff != "" {
			t.Fatalf("the same rejection gives another recording (-recorded +again):\n%s", diff)
		}
	}
}

func TestTokensAndKeysAreNotRecorded(t *testing.T) {
	t.Parallel()
	// {"alg":"none"}.{"iat":100,"exp":160,"nbf":100}.
	got := exchange{Name: "t"}
	got.answer(oracle.Answer{Status: http.StatusOK, Body: "eyJhbGciOiJub25lIn0.eyJpYXQiOjEwMCwiZXhwIjoxNjAsIm5iZiI6MTAwfQ.c2lnbmF0dXJl"})
	want := exchange{
		Name: "t", Response: response{200, "<redacted JWT>"},
		Decoded: &token{Header: parse(t, `{"alg": "none"}`), Claims: parse(t, `{"iat": 100, "exp": 160, "nbf": 100}`), Lifetime: 60},
	}
	testworld.Equal(t, "token", want, got)
	key := fmt.Sprintf("%0300d", 1)
	list := object{"items": []any{object{"data": key}, object{"data": "c2hvcnQ="}}}
	testworld.Equal(t, "secrets", parse(t, `{"items": [{"data": "<redacted base64>"}, {"data": "c2hvcnQ="}]}`), redact("", list))
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	testworld.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	testworld.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	testworld.NoError(t, err)
	return string(data)
}

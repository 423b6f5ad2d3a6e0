package embedded_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// exchange is one recorded request with the answer of a real control plane.
type exchange struct {
	Name    string
	Given   string // the precondition of the request: "absent" or "present" resource, or the result of the requests before it
	Request struct {
		Method, Path string
		Headers      map[string]string
		Body         json.RawMessage
	}
	Response struct {
		Status int
		Body   json.RawMessage
	}
	Decoded struct { // of a token, which itself is not recorded; sometimes
		Header, Claims map[string]any
	}
}

// known are the exchanges that are answered differently, with the reason.
var known = map[string]string{
	"02-crud/HostnameGenerator/20-list":                        "there are no initial generators",
	"02-crud/GlobalSecret/20-list":                             "it creates no certificates and no keys",
	"02-crud/Secret/20-list":                                   "it creates no keys",
	"02-crud/Zone/20-list":                                     "the zone does not list itself",
	"03-malformed/enum-as-number-mesh":                         "enums are accepted by name only",
	"03-malformed/enum-as-number-mesh-get":                     "enums are accepted by name only",
	"03-malformed/wrong-type-dataplane-port-string-number":     "numbers are not accepted as strings",
	"03-malformed/wrong-type-dataplane-port-string-number-get": "numbers are not accepted as strings",
	"03-malformed/wrong-type-dataplane-port-negative":          "a negative port is rejected because of its range, with a field",
	"05-labels-zone/dataplane-kuma.io_workload=Bad_W-put":      "also rejected, but with the field",
	"06-normalisation/mesh-mtls-permissive-put":                "the recorded field does not exist in the document",
	"07-metadata-and-status/08-put-if-none-match-star":         "only the embedded control plane honors the header",
	"13-tokens/dataplane-signed-by-bad-key":                    "tokens are not signed",
}

// TestRecordedExchanges plays requests that were recorded from a real control
// plane and compares status, title, violated fields and documents. Texts are
// our own, times differ.
func TestRecordedExchanges(t *testing.T) {
	t.Parallel()
	for n, file := range slices.Concat(testworld.Files(t, "testdata/rest/*.json"), testworld.Files(t, "testdata/rest/3.0/*.json")) {
		if testing.Short() && n%7 > 0 {
			continue
		}
		name, err := filepath.Rel("testdata/rest", file)
		testworld.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer3(t)
			if !strings.HasPrefix(name, "3.0") {
				s = newServer(t, t.TempDir())
				put(t, s, `{"type":"Mesh","name":"default"}`)
			}
			for _, e := range readExchanges(t, file) {
				t.Run(strings.ReplaceAll(e.Name, "/", ":"), func(t *testing.T) {
					if reason, ok := known[e.Name]; ok {
						t.Skip(reason)
					}
					replay(t, s, e)
				})
			}
		})
	}
}

func replay(t *testing.T, s *embedded.Server, e exchange) {
	t.Helper()
	switch e.Given {
	case "absent":
		send(t, s, http.MethodDelete, e.Request.Path, nil, nil)
	case "present":
		send(t, s, e.Request.Method, e.Request.Path, e.Request.Headers, requestBody(t, e))
	}
	body := wantStatus(t, e.Response.Status, s, e.Request.Method, e.Request.Path, e.Request.Headers, requestBody(t, e))
	if string(e.Response.Body) == "<redacted JWT>" {
		sameToken(t, e, string(body))
		return
	}
	want := essence(t, e.Response.Body)
	if diff := cmp.Diff(want, essence(t, body)); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s\n%s", e.Request.Method, e.Request.Path, diff, body)
	}
}

// essence returns the part of an answer that must be the same.
func essence(t *testing.T, body []byte) any {
	t.Helper()
	if string(body) == "null" { // the record of an empty body
		return ""
	}
	v, err := tree.DecodeJSON(body)
	if err != nil { // text of the router
		return string(body)
	}
	m, ok := v.(map[string]any)
	switch {
	case !ok:
		return v
	case m["title"] != nil:
		return map[string]any{"title": m["title"], "fields": fields(m)}
	case m["warnings"] != nil:
		return "warnings"
	case m["product"] != nil:
		return slices.Sorted(maps.Keys(m))
	case m["items"] != nil:
		items, _ := m["items"].([]any)
		for i, item := range items {
			items[i] = document(item)
		}
		return m
	default:
		return document(m)
	}
}

func fields(failure map[string]any) []string {
	list, _ := failure["invalid_parameters"].([]any)
	var names []string
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			names = append(names, fmt.Sprint(m["field"]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// document removes what differs in every run, and what only a running mesh has.
func document(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, field := range []string{"creationTime", "modificationTime", "snis", "status"} {
		delete(m, field)
	}
	return m
}

func requestBody(t *testing.T, e exchange) []byte {
	t.Helper()
	var literal string
	if json.Unmarshal(e.Request.Body, &literal) == nil {
		return []byte(literal)
	}
	return e.Request.Body
}

func readExchanges(t *testing.T, file string) []exchange {
	t.Helper()
	data, err := os.ReadFile(file)
	testworld.NoError(t, err)
	var list []exchange
	decode(t, data, &list)
	for i := range list {
		var text string
		if json.Unmarshal(list[i].Response.Body, &text) == nil && text != "" {
			list[i].Response.Body = json.RawMessage(text)
		}
	}
	return list
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	testworld.NoError(t, json.Unmarshal(data, into))
}

// send calls the server in process, as a client on the recorded port.
func send(t *testing.T, s *embedded.Server, method, path string, headers map[string]string, body []byte) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:24001"+path, bytes.NewReader(body))
	testworld.NoError(t, err)
	for name, value := range headers {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	answer, err := s.Transport().RoundTrip(r)
	testworld.NoError(t, err)
	defer answer.Body.Close() //nolint:errcheck // in memory
	data, err := io.ReadAll(answer.Body)
	testworld.NoError(t, err)
	return answer.StatusCode, data
}

// wantStatus sends a request that must get a response with a status, and returns its body.
func wantStatus(t *testing.T, want int, s *embedded.Server, method, path string, headers map[string]string, body []byte) []byte {
	t.Helper()
	status, answer := send(t, s, method, path, headers, body)
	if status != want {
		t.Fatalf("%s %s: status %d, want %d\n%s", method, path, status, want, answer)
	}
	return answer
}

package tree_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// object is a decoded JSON object.
type object = map[string]any

func TestDecodeYAML(t *testing.T) {
	t.Parallel()
	n := func(s string) json.Number { return json.Number(s) }
	tests := map[string]struct {
		in   string
		want []any
	}{
		"nothing":           {"", nil},
		"only comments":     {"# nothing\n---\n# still nothing\n", nil},
		"several documents": {"a: 1\n---\n---\nb: 2\n", []any{object{"a": n("1")}, object{"b": n("2")}}},
		"JSON":              {`{"a": [1, 2.50, 1e3], "b": null}`, []any{object{"a": []any{n("1"), n("2.50"), n("1e3")}, "b": nil}}},
		"digits are kept":   {"a: 12345678901234567890\nb: 5.0", []any{object{"a": n("12345678901234567890"), "b": n("5.0")}}},
		"numbers unknown to JSON": {
			"a: 0x1F\nb: 0o17\nc: +5\nd: .5\ne: 1_000", []any{object{"a": n("31"), "b": n("15"), "c": n("5"), "d": n("0.5"), "e": n("1000")}},
		},
		"booleans":    {"a: true\nb: \"true\"\nc: no", []any{object{"a": true, "b": "true", "c": "no"}}},
		"time stamps": {"a: 2026-01-02\nb: 2026-01-02T03:04:05Z", []any{object{"a": "2026-01-02", "b": "2026-01-02T03:04:05Z"}}},
		"empty value": {"a:\nb: ~\nc: ''", []any{object{"a": nil, "b": nil, "c": ""}}},
		"odd keys":    {"1: a\ntrue: b\nnull: c", []any{object{"1": "a", "true": "b", "null": "c"}}},
		"alias":       {"a: &x {k: v}\nb: *x", []any{object{"a": object{"k": "v"}, "b": object{"k": "v"}}}},
		"merge key": {
			"base: &x {k: v, own: base}\na:\n  <<: *x\n  own: mine",
			[]any{object{"base": object{"k": "v", "own": "base"}, "a": object{"k": "v", "own": "mine"}}},
		},
		"merge keys, first wins": {
			"- &x {k: 1}\n- &y {k: 2, l: 3}\n- <<: [*x, *y]",
			[]any{[]any{object{"k": n("1")}, object{"k": n("2"), "l": n("3")}, object{"k": n("1"), "l": n("3")}}},
		},
		"quoted merge key": {`"<<": a`, []any{object{"<<": "a"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tree.DecodeYAML([]byte(tt.in))
			if err != nil {
				t.Fatalf("DecodeYAML(%q): %v", tt.in, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("DecodeYAML(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestDecodeYAMLErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"syntax":                {"a: 1\nb: [", "line 2"},
		"duplicate key":         {"a: 1\nb: 2\na: 3\n", `line 3: key "a" appears twice`},
		"duplicate in document": {"a: 1\n---\nb: 1\nb: 2\n", `line 4: key "b" appears twice`},
		"key of a list":         {"a: 1\n[b]: 2\n", "line 2: a key must be a string"},
		"infinite":              {"a: 1\nb: .inf\n", "line 2: .inf is not a valid JSON number"},
		"merge of text":         {"a: 1\n<<: b\n", "line 2"},
		"self reference":        {"a: &x\n  b: *x\n", "line"},
		"deep":                  {strings.Repeat("[", 500) + strings.Repeat("]", 500), "nested too deeply"},
		"bomb": {
			"a: &a [1,1,1,1,1,1,1,1,1,1]\n" + bomb("a", "b") + bomb("b", "c") + bomb("c", "d") + bomb("d", "e") + bomb("e", "f") + bomb("f", "g"),
			"expands too much",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tree.DecodeYAML([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("DecodeYAML = %.100v, %v, want an error with %q", got, err, tt.want)
			}
		})
	}
}

// TestAliasesOfManyDocumentsExhaustNoMemory checks documents that are harmless
// alone, but that took gigabytes as a stream or a list.
func TestAliasesOfManyDocumentsExhaustNoMemory(t *testing.T) {
	lists := "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + bomb("a", "b") + bomb("b", "c") + bomb("c", "d")
	objects := "a: &a {k: {k: {k: {k: 1}}}}\n" + bomb("a", "b") + bomb("b", "c") + bomb("c", "d")
	long := "a: &a " + strings.Repeat("x", 1000) + "\n" + bomb("a", "b") + bomb("b", "c") + bomb("c", "d")
	keys := "a: &a " + strings.Repeat("x", 1000) + "\nb: [" + strings.Repeat("{*a : 1},", 999) + "]\n"
	for name, document := range map[string]string{"lists": lists, "objects": objects, "long texts": long, "long keys": keys} {
		t.Run(name, func(t *testing.T) { // not parallel: it measures
			if _, err := tree.DecodeYAML([]byte(document)); err != nil {
				t.Fatalf("one document: %v", err)
			}
			const most = 256 << 20
			stream, inStream := allocated(func() error {
				_, err := tree.DecodeYAML([]byte(strings.Repeat(document+"---\n", 3000)))
				return err
			})
			list, inList := allocated(func() error {
				var d tree.YAMLDecoder
				for range 3000 {
					if _, err := d.Decode([]byte(document)); err != nil {
						return err
					}
				}
				return nil
			})
			for of, err := range map[string]error{"stream": inStream, "list": inList} {
				if err == nil || !strings.Contains(err.Error(), "expands too much") {
					t.Errorf("%s: got error %v, want one that says what expands too much", of, err)
				}
			}
			if stream > most || list > most {
				t.Errorf("a stream took %d MB and a list %d MB, want at most %d MB", stream>>20, list>>20, most>>20)
			}
		})
	}
}

// allocated returns how many bytes f allocates, and its error.
func allocated(f func() error) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// TestLargeFilesAreDecoded checks that neither large files nor the ordinary use
// of aliases are limited.
func TestLargeFilesAreDecoded(t *testing.T) {
	t.Parallel()
	policies := 10_000
	if testing.Short() {
		policies = 1_000
	}
	policy := func(i int, conf string) string {
		return fmt.Sprintf(`type: MeshTimeout
mesh: default
name: timeout-%d
labels: {team: shop, kuma.io/origin: zone}
spec:
  targetRef: {kind: MeshSubset, tags: {kuma.io/service: web-%d}}
  to:
  - {targetRef: {kind: MeshService, name: cart-%d}, default: %s}
  - {targetRef: {kind: Mesh}, default: %s}
`, i, i, i, conf, conf)
	}
	const conf = "{connectionTimeout: 5s, idleTimeout: 1h, http: {requestTimeout: 15s, streamIdleTimeout: 30m, maxStreamDuration: 0s, maxConnectionDuration: 0s}}"
	var stream, list strings.Builder
	fmt.Fprintf(&list, "conf: &conf %s\npolicies:\n", conf)
	for i := range policies {
		stream.WriteString("---\n" + policy(i, conf))
		list.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(policy(i, "*conf")), "\n", "\n  ") + "\n")
	}
	docs, err := tree.DecodeYAML([]byte(stream.String()))
	if err != nil || len(docs) != policies {
		t.Fatalf("DecodeYAML of %d bytes: %d documents, %v, want %d", stream.Len(), len(docs), err, policies)
	}
	one, err := tree.DecodeYAML([]byte(list.String()))
	if err != nil {
		t.Fatalf("DecodeYAML with aliases: %v", err)
	}
	if got := one[0].(object)["policies"]; !reflect.DeepEqual(any(docs), got) {
		t.Errorf("with aliases (-written out +got):\n%s", cmp.Diff(docs, got))
	}
}

func bomb(of, name string) string {
	return name + ": &" + name + " [" + strings.TrimSuffix(strings.Repeat("*"+of+",", 10), ",") + "]\n"
}

// texts look like other types, or are hard to quote.
var texts = []string{
	"", " ", "1", "1.5", "0x1F", "0o17", "1_000", "1e3", ".5", ".inf", "true", "no", "on", "y", "null", "~",
	"2026-01-02", "2026-01-02T03:04:05Z", "<<", "=", "a: b", "- a", "# a", "a #b", "*a", "&a", "!a", "%a", "@a", "`a`",
	"'", `"`, "{", "[", "a\nb", "a\nb\n", "a\n\n", "\na", " a\nb", "\n", "a\r\nb", "a\tb", "\ta\nb", "a \nb", "é", "\u2028", "\x00", "\U0001F600", "---", "...", ":",
}

func TestEncodeYAMLKeepsTexts(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			roundTrip(t, object{"type": "Mesh", "name": text, "list": []any{text}, "keys": object{text: text}})
		})
	}
}

func TestEncodeYAML(t *testing.T) {
	t.Parallel()
	doc := object{
		"spec": object{"b": json.Number("1.50"), "a": []any{object{"x": true, "none": nil}, object{}, []any{}}},
		"name": "web", "type": "MeshTimeout", "mesh": "default", "labels": object{"b": "1", "a": "true"},
		"creationTime": "2026-01-02T03:04:05Z",
	}
	const want = `type: MeshTimeout
mesh: default
name: web
labels:
  a: "true"
  b: "1"
creationTime: "2026-01-02T03:04:05Z"
spec:
  a:
    - none: null
      x: true
    - {}
    - []
  b: 1.50
`
	got, err := tree.EncodeYAML(doc)
	testworld.NoError(t, err)
	testworld.Equal(t, "EncodeYAML", want, string(got))
	roundTrip(t, doc)
}

// TestErrorShowsPassword checks that errors, which are logged, do not contain
// secrets of documents. TestYAML11ReadsTextAsBoolean: kumactl reads the text as
// a boolean unless it is quoted.
func TestYAML11ReadsTextAsBoolean(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"yes", "No", "ON", "off", "y", "n"} {
		got, err := tree.EncodeYAML(map[string]any{"tag": text})
		if want := fmt.Sprintf("tag: %q\n", text); err != nil || string(got) != want {
			t.Errorf("EncodeYAML = %q, %v, want %q", got, err, want)
		}
	}
}

func TestErrorShowsPassword(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"data: *p4ssw0rd\n":                  "yaml: unknown anchor referenced",
		"data: !!int p4ssw0rd\n":             "yaml: cannot decode !!str as a !!int",
		"data: !!bool |\n  `'\n  p4ssw0rd\n": "yaml: cannot decode !!str as a !!bool",
		"data: \"p4ssw0rd\\q\"\n":            "yaml: found unknown escape character",
	} {
		if got, err := tree.DecodeYAML([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("DecodeYAML(%q) = %v, error %v, want the error %q", in, got, err, want)
		}
	}
}

func roundTrip(t *testing.T, doc object) {
	t.Helper()
	data, err := tree.EncodeYAML(doc)
	if err != nil {
		t.Fatalf("EncodeYAML(%q): %v", doc, err)
	}
	got, err := tree.DecodeYAML(data)
	if err != nil {
		t.Fatalf("DecodeYAML(%q): %v", data, err)
	}
	if diff := cmp.Diff([]any{doc}, got); diff != "" {
		t.Errorf("DecodeYAML(EncodeYAML) of %q (-want +got):\n%s", data, diff)
	}
}

func FuzzYAML(f *testing.F) {
	for _, text := range texts {
		f.Add("a: " + text)
	}
	f.Add("a: &x {k: v}\nb:\n  <<: *x\n")
	f.Fuzz(func(t *testing.T, in string) {
		docs, err := tree.DecodeYAML([]byte(in))
		if err != nil {
			return
		}
		for _, v := range docs {
			if doc, ok := v.(object); ok {
				roundTrip(t, doc)
			}
		}
	})
}

func TestDecodeJSON(t *testing.T) {
	t.Parallel()
	got, err := tree.DecodeJSON([]byte(` {"a": 12345678901234567890} `))
	testworld.NoError(t, err)
	testworld.Equal(t, "DecodeJSON", object{"a": json.Number("12345678901234567890")}, got)
	for _, in := range []string{"", "{", "{} {}", "1 x"} {
		if got, err := tree.DecodeJSON([]byte(in)); err == nil {
			t.Errorf("DecodeJSON(%q) = %v, want an error", in, got)
		}
	}
}

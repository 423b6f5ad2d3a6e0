package randomworld

import (
	"encoding/json"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// limit returns a value just inside or outside the limits of the type of a
// place.
func (w *world) limit(p def.Place) any {
	switch t := p.Type.(type) {
	case def.Scalar:
		return w.scalarLimit(p.Field, t)
	case def.Secret:
		return pick(w, base64Limits...)
	case def.List:
		return w.listLimit(p.Items())
	case def.StringMap:
		return object{pick(w, tagKeys...): pick[any](w, "", "a", "*", "a b", "a/b", "tcp", longText(64), number(1), nil)}
	case def.Object:
		if isReference(t) {
			return w.anyReference()
		}
		return object{}
	default:
		return nil
	}
}

func (w *world) scalarLimit(f *def.Field, s def.Scalar) any {
	if f.OneOf != nil && s == def.String {
		return pick(w, append([]string{"", "Unknown", strings.ToLower(f.OneOf[0])}, f.OneOf...)...)
	}
	switch s {
	case def.Bool:
		return pick[any](w, true, false, "true", nil)
	case def.Int:
		if f.Name == "RSAbits" {
			return pick(w, keySizes...)
		}
		return pick(w, intLimits...)
	case def.Number, def.IntOrString:
		return pick(w, decimalLimits...)
	case def.Duration, def.ProtoDuration:
		return pick(w, durationLimits...)
	case def.JSON:
		return pick[any](w, nil, "", "text", []any{}, object{})
	case def.Base64:
		return pick(w, base64Limits...)
	default:
		return pick(w, textLimits...)
	}
}

// listLimit returns an empty list, a longer one, or one with many equal
// elements.
func (w *world) listLimit(items []tree.Node) any {
	if len(items) == 0 || w.one(3) {
		return []any{}
	}
	repeats := pick(w, 1, 1, 1, 16)
	var list []any
	for _, n := range items {
		list = append(list, n.Value())
	}
	for range repeats {
		list = append(list, tree.Clone(pick(w, items...).Value()))
	}
	return list
}

// anyReference generates a reference with any fields to an object of any kind.
func (w *world) anyReference() object {
	ref := object{"kind": pick(w, append([]string{kuma.KindMeshTCPRoute, "Unknown", ""}, referenceKinds...)...)}
	for _, field := range []struct {
		name   string
		values []any
	}{
		{"name", []any{"a", "", "A", "a_b", "a/b"}},
		{"namespace", []any{"ns-a", ""}},
		{"labels", []any{object{}, object{"team": "a"}, object{"team": ""}, object{"a b": "x y"}}},
		{"tags", []any{object{}, object{"team": "a"}, object{"team": ""}, object{"team": "*"}, object{"a b": "x"}}},
		{"sectionName", []any{"http", "", "80"}},
		{"proxyTypes", []any{[]any{}, []any{"Sidecar"}, []any{"Gateway"}, []any{"Other"}}},
		{"mesh", []any{"other", ""}},
	} {
		if w.one(4) {
			ref[field.name] = pick(w, field.values...)
		}
	}
	return ref
}

func longText(length int) string { return strings.Repeat("a", length) }

func numbers(literals ...string) []any {
	out := make([]any, len(literals))
	for i, s := range literals {
		out[i] = json.Number(s)
	}
	return out
}

// Values at the limits of a type, or of what some field allows.
var (
	intLimits = append(numbers("-1", "0", "1", "2", "99", "100", "101", "128", "129", "199", "299", "300", "303", "399", "599", "600", "65535",
		"65536", "5000011", "5000012",
		"8000000", "8000001", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
		"18446744073709551615", "18446744073709551616",
		"1.0", "1e2", "1.5"), "1", "")
	decimalLimits = append(numbers("-1", "0", "1", "99", "100", "101", "1.5", "1e2", "2147483647", "2147483648"),
		"", "0", "0.0", "0.1", "-0.1", "100", "100.0", "100.1", "1e2", "+5", ".5", "5.", "1_000", "NaN", "Inf", "0x10", "text", " 5")
	durationLimits = []any{
		"0", "0s", "1ns", "-1s", "-0s", "50ms", "51ms", "1d", "1y", "1h30m", "1.5s", ".5s", "+5s", "5", "", "s", "1s ",
		"2562047h", "2562048h", json.Number("5"),
	}
	base64Limits = []any{
		"", "aGVsbG8=", "aGVsbG8", "aGVsbG8==", "aGVs bG8=", "aGVs\nbG8=", "_-8=", "////", "a", nil,
		[]any{},
		object{},
		json.Number("1"),
	}
	tagKeys = []string{
		kuma.TagService, kuma.TagProtocol, kuma.LabelZone, "kuma.io/external-service-name", "team", "a b", "", "a/b/c",
		"a:b",
	}
	textLimits = []any{
		"", "a", "A", " ", "a b", "a_b", "-a", "a-", ".a", "a.", "a..b", "a.b", "a.b.", "1", "1a", "a1", "é", "*", "*.a", "a.*", "*a.b", "*.a.b",
		"a*b", longText(63), longText(64), longText(253), longText(254), longText(256), longText(257),
		"0.0.0.0", "::", "::1", "127.0.0.1", "10.0.0.1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "10.0.0.0/8", "10.0.0.0/33", "10.0.0.1/8", "::/0",
		"::1/129", "fe80::1%eth0",
		"a:80", "a:", ":80", "a:0", "a:65535", "a:65536", "a:b", "10.0.0.1:80", "[::1]:80", "::1:80", "a.b:80/c", "a:80?b", "a:80#b",
		"/", "//", "/a", "/a/", "a/", "/a b", "/a?b", "/a#b", "/%zz", "./a", "../a", "C:\\a", "/a/../b", "\\a",
		"http://a", "http://a:80", "https://a.b:80/c?d#e", "http://", "://a", "tcp://a:1", "ftp://a.b", "HTTP://a.b", "http://a b",
		"http://a_b:1", "http://user@a:1", "http://[::1]:1", "grpc://a:1",
		"spiffe://a", "spiffe://a/", "spiffe://a/b", "spiffe://a//b", "spiffe://A/b", "spiffe:///b", "spiffe://a/b/", "spiffe://a/b?c",
		"http://a/b",
		"(", "[a", "a{2,1}", ".*", "(?=a)", "^a$", "{{ .Name }}", "{{ .DisplayName }}.a", "{{ .Nothing }}", "{{", "{{ label \"a\" }}",
		"{{ label }}", "%START_TIME%", "%", "\"", "\\\"", "a\nb",
		"10d", "1h", "0", "1x", "10kbps", "10 Mbps", "kbps", "10bps", "tcp", "http", "kafka", "x-a", "X-A", ":path", "Host", "content-type",
		"otel.a", "a.b_c", "a__b",
		"name: a", "{a: 1}", "- a", "a: [", "prometheus", "builtin", "provided", "zipkin", "datadog", "file", "Mesh", "MeshService",
		"MeshTimeout", "zone-1",
		json.Number("1"), true, nil,
	}
)

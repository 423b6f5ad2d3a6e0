package envoy

import (
	"testing"

	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	matcher "github.com/envoyproxy/go-control-plane/envoy/type/matcher/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// message reads a message in JSON.
func message[M proto.Message](t *testing.T, m M, text string) M {
	t.Helper()
	if err := protojson.Unmarshal([]byte(text), m); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func TestMatchString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		matcher string
		yes, no []string
	}{
		{`{"exact": "/v2"}`, []string{"/v2"}, []string{"", "/v", "/v2/", "/V2", " /v2"}},
		{`{"exact": "/v2", "ignoreCase": true}`, []string{"/v2", "/V2"}, []string{"/v2/"}},
		{`{"exact": ""}`, []string{""}, []string{" "}},
		{`{"prefix": "spiffe://td/web"}`, []string{"spiffe://td/web", "spiffe://td/web-2", "spiffe://td/web/a"}, []string{"spiffe://td/we", "spiffe://td/Web", "xspiffe://td/web"}},
		{`{"prefix": "A", "ignoreCase": true}`, []string{"ab", "AB"}, []string{"b"}},
		{`{"suffix": ".mesh"}`, []string{"a.mesh", ".mesh"}, []string{"amesh", "a.mesh.", "a.Mesh"}},
		{`{"contains": "b"}`, []string{"abc", "b"}, []string{"", "aBc"}},
		{`{"safeRegex": {"regex": "/v[0-9]"}}`, []string{"/v1"}, []string{"/v10", "x/v1", "/v", "/v1\n"}},
		{`{"safeRegex": {"regex": "a|bc"}}`, []string{"a", "bc"}, []string{"ac", "abc", "b"}},
		{`{"safeRegex": {"regex": "a"}, "ignoreCase": true}`, []string{"a"}, []string{"A"}},
		{`{"safeRegex": {"regex": ".*"}}`, []string{"", "anything"}, []string{"two\nlines"}},
	} {
		m := message(t, &matcher.StringMatcher{}, tt.matcher)
		check(t, tt.matcher, tt.yes, tt.no, func(s string) (bool, error) { return matchString(m, s) })
	}
}

// check reports strings that do not match as they should.
func check(t *testing.T, what string, yes, no []string, matches func(string) (bool, error)) {
	t.Helper()
	for _, s := range yes {
		if ok, err := matches(s); !ok || err != nil {
			t.Errorf("%s does not match %q: %v", what, s, err)
		}
	}
	for _, s := range no {
		if ok, err := matches(s); ok || err != nil {
			t.Errorf("%s matches %q: %v", what, s, err)
		}
	}
}

func TestMatchHeader(t *testing.T) {
	t.Parallel()
	r := Request{Method: "GET", Path: "/v2", Host: "api.mesh", Headers: map[string]string{"X-Team": "shop", "n": "10", "empty": ""}}
	for _, tt := range []struct {
		name, matcher string
		want          bool
	}{
		{"exact", `{"name": "x-team", "stringMatch": {"exact": "shop"}}`, true},
		{"name in another case", `{"name": "X-TEAM", "stringMatch": {"exact": "shop"}}`, true},
		{"value in another case", `{"name": "x-team", "stringMatch": {"exact": "Shop"}}`, false},
		{"prefix", `{"name": "x-team", "stringMatch": {"prefix": "sh"}}`, true},
		{"longer prefix", `{"name": "x-team", "stringMatch": {"prefix": "shops"}}`, false},
		{"regex for the whole value", `{"name": "x-team", "stringMatch": {"safeRegex": {"regex": "sh.p"}}}`, true},
		{"regex for a part of the value", `{"name": "x-team", "stringMatch": {"safeRegex": {"regex": "ho"}}}`, false},
		{"other name", `{"name": "x-tea", "stringMatch": {"exact": "shop"}}`, false},
		{"present", `{"name": "empty", "presentMatch": true}`, true},
		{"missing is present", `{"name": "missing", "presentMatch": true}`, false},
		{"absent", `{"name": "missing", "presentMatch": false}`, true},
		{"present is absent", `{"name": "empty", "presentMatch": false}`, false},
		{"inverted presence", `{"name": "missing", "presentMatch": true, "invertMatch": true}`, true},
		{"no specifier", `{"name": "empty"}`, true},
		{"no specifier, missing", `{"name": "missing"}`, false},
		{"inverted", `{"name": "x-team", "stringMatch": {"exact": "shop"}, "invertMatch": true}`, false},
		{"inverted, other value", `{"name": "x-team", "stringMatch": {"exact": "web"}, "invertMatch": true}`, true},
		{"inverted, missing", `{"name": "missing", "stringMatch": {"exact": "web"}, "invertMatch": true}`, false},
		{"missing as empty", `{"name": "missing", "stringMatch": {"safeRegex": {"regex": ".*"}}, "treatMissingHeaderAsEmpty": true}`, true},
		{"missing as empty, inverted", `{"name": "missing", "stringMatch": {"exact": "web"}, "invertMatch": true, "treatMissingHeaderAsEmpty": true}`, true},
		{"start of a range", `{"name": "n", "rangeMatch": {"start": 10, "end": 11}}`, true},
		{"end of a range", `{"name": "n", "rangeMatch": {"start": 0, "end": 10}}`, false},
		{"not a number", `{"name": "x-team", "rangeMatch": {"start": 0, "end": 10}}`, false},
		{"method", `{"name": ":method", "stringMatch": {"exact": "GET"}}`, true},
		{"method in lower case", `{"name": ":method", "stringMatch": {"exact": "get"}}`, false},
		{"authority", `{"name": ":authority", "stringMatch": {"exact": "api.mesh"}}`, true},
	} {
		got, err := matchHeader(message(t, &route.HeaderMatcher{}, tt.matcher), r.header)
		if err != nil || got != tt.want {
			t.Errorf("%s: %t, %v, want %t", tt.name, got, err, tt.want)
		}
	}
}

func TestMatchQuery(t *testing.T) {
	t.Parallel()
	query := map[string]string{"q": "b", "empty": ""}
	for text, want := range map[string]bool{
		`{"name": "q", "stringMatch": {"exact": "b"}}`:                    true,
		`{"name": "q", "stringMatch": {"exact": "B"}}`:                    false,
		`{"name": "Q", "stringMatch": {"exact": "b"}}`:                    false,
		`{"name": "q", "stringMatch": {"safeRegex": {"regex": "[a-c]"}}}`: true,
		`{"name": "q", "stringMatch": {"prefix": "b"}}`:                   true,
		`{"name": "q", "stringMatch": {"prefix": "bc"}}`:                  false,
		`{"name": "x", "stringMatch": {"prefix": ""}}`:                    false,
		`{"name": "x", "stringMatch": {"safeRegex": {"regex": ".*"}}}`:    false,
		`{"name": "empty", "presentMatch": true}`:                         true,
		`{"name": "x", "presentMatch": true}`:                             false,
		`{"name": "x", "presentMatch": false}`:                            true,
		`{"name": "q"}`:                                                   true,
	} {
		got, err := matchQuery(message(t, &route.QueryParameterMatcher{}, text), query)
		if err != nil || got != want {
			t.Errorf("%s: %t, %v, want %t", text, got, err, want)
		}
	}
}

func TestMatchPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		match   string
		yes, no []string
	}{
		{`{"path": "/v2"}`, []string{"/v2"}, []string{"/v2/", "/v20", "/V2", "/"}},
		{`{"prefix": "/v2/"}`, []string{"/v2/", "/v2/x"}, []string{"/v2", "/v20", "/V2/"}},
		{`{"prefix": "/"}`, []string{"/", "/x"}, nil},
		{`{"prefix": "/v2", "caseSensitive": false}`, []string{"/v2", "/V2x"}, []string{"/v1"}},
		{`{"pathSeparatedPrefix": "/v2"}`, []string{"/v2", "/v2/", "/v2/x"}, []string{"/v20", "/v", "/x/v2"}},
		{`{"safeRegex": {"regex": "/v.*"}}`, []string{"/v2", "/v"}, []string{"/", "x/v2"}},
		{`{"path": "/v2", "headers": [{"name": "a", "presentMatch": true}]}`, nil, []string{"/v2"}},
	} {
		m := message(t, &route.RouteMatch{}, tt.match)
		check(t, tt.match, tt.yes, tt.no, func(path string) (bool, error) { return matchRoute(m, peer{request: Request{Path: path}}) })
	}
	if _, err := matchRoute(message(t, &route.RouteMatch{}, `{"prefix": "/", "grpc": {}}`), peer{}); err == nil {
		t.Error("a match that is not evaluated is not an error")
	}
}

func TestNormalized(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/": "/", "/p": "/p", "/p/": "/p/", "//p": "//p", "/P": "/P", "/q/../p": "/p", "/q/./p": "/q/p", "/../p": "/p", "/p/..": "/", "/p/.": "/p/",
		"/%70": "/p", "/%2e%2E/p": "/p", "/a%2Fb": "/a%2Fb", "/a%2": "/a%2", "/a%zz": "/a%zz", `/a\b`: "/a/b", "/a%20b": "/a%20b",
	} {
		if got := normalized(path); got != want {
			t.Errorf("%q becomes %q, want %q", path, got, want)
		}
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		draws []draw
		want  string
	}{
		{"all", nil, "1"},
		{"weight", []draw{{100, 90, 100}}, "1/10"},
		{"none", []draw{{100, 5, 5}}, "0"},
		{"independent", []draw{{100, 0, 50}, {3, 0, 1}}, "1/6"},
		{"the same number", []draw{{100, 50, 100}, {100, 0, 50}}, "0"},
		{"the same number, the other half", []draw{{100, 50, 100}, {100, 50, 100}}, "1/2"},
		{"a common factor", []draw{{100, 0, 1}, {10, 0, 1}}, "1/100"},
		{"a common factor, disjoint", []draw{{100, 0, 1}, {10, 1, 10}}, "0"},
		{"millionths", []draw{{1_000_000, 0, 333_333}, {7, 0, 7}}, "333333/1000000"},
	} {
		if got, err := share(tt.draws); err != nil || got.RatString() != tt.want {
			t.Errorf("%s: %v, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

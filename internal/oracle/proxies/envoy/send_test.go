package envoy

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	listener "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	setstate "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/set_filter_state/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// sender is the configuration of a proxy whose listener 127.0.0.1:80 has routes.
func sender(t *testing.T, routes string) *Config {
	t.Helper()
	return config(t, Listeners, `{"api": {"name": "api", "trafficDirection": "OUTBOUND", "address": {"socketAddress": {"address": "127.0.0.1", "portValue": 80}},
		"filterChains": [{"filters": [{"name": "http", "typedConfig": {
			"@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
			"statPrefix": "api", "normalizePath": true, "streamIdleTimeout": "60s",
			"httpFilters": [{"name": "router", "typedConfig": {"@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}],
			"routeConfig": {"virtualHosts": [{"name": "api", "domains": ["*"], "routes": [`+routes+`]}]}}}]}]}}`,
		Clusters, `{
			"v1": {"name": "v1", "type": "STATIC", "connectTimeout": "2s", "loadAssignment": {"endpoints": [{"lbEndpoints": [
				{"endpoint": {"address": {"socketAddress": {"address": "10.0.0.1", "portValue": 9000}}}},
				{"healthStatus": "UNHEALTHY", "endpoint": {"address": {"socketAddress": {"address": "10.0.0.2", "portValue": 9000}}}}]}]}},
			"v2": {"name": "v2", "type": "EDS"}, "v3": {"name": "v3", "type": "EDS"}}`)
}

// config reads resources, given in pairs of type and resources by name.
func config(t *testing.T, pairs ...string) *Config {
	t.Helper()
	xds := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		xds[pairs[i]] = testworld.JSON(t, pairs[i+1])
	}
	c, err := Parse(xds)
	testworld.NoError(t, err)
	return c
}

// summary describes outcomes in one line.
func summary(outcomes []Outcome) string {
	var parts []string
	for _, o := range outcomes {
		part := fmt.Sprintf("%s %s %s", o.Share.RatString(), o.Verdict, o.Route)
		switch o.Verdict {
		case Forwarded:
			part += fmt.Sprintf(" %s %s%s", o.Cluster, o.Request.Host, o.Request.Path)
		case Redirected:
			part += fmt.Sprintf(" %d %s", o.Status, o.Location)
		case Answered:
			part += fmt.Sprintf(" %d", o.Status)
		default:
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func TestSend(t *testing.T) {
	t.Parallel()
	c := sender(t, `
		{"name": "exact", "match": {"path": "/p"}, "route": {"cluster": "v1"}},
		{"name": "new", "match": {"path": "/v2"}, "route": {"cluster": "v2", "regexRewrite": {"pattern": {"regex": ".*"}, "substitution": "/new"}}},
		{"name": "new", "match": {"prefix": "/v2/"}, "route": {"cluster": "v2", "prefixRewrite": "/new", "hostRewriteLiteral": "new.mesh"}},
		{"name": "groups", "match": {"prefix": "/g"}, "route": {"cluster": "v1", "regexRewrite": {"pattern": {"regex": "/g/(.)(.)"}, "substitution": "/\\2$1\\1"}}},
		{"name": "redirect", "match": {"prefix": "/r/"}, "redirect": {"hostRedirect": "h", "portRedirect": 81, "httpsRedirect": true, "prefixRewrite": "/s/", "responseCode": "PERMANENT_REDIRECT"}},
		{"name": "redirect", "match": {"path": "/r"}, "redirect": {"pathRedirect": "/elsewhere"}},
		{"name": "split", "match": {"prefix": "/split"}, "route": {"weightedClusters": {"clusters": [{"name": "v1", "weight": 90}, {"name": "v2", "weight": 10}, {"name": "v3", "weight": 0}]}}},
		{"name": "broken", "match": {"prefix": "/half", "runtimeFraction": {"defaultValue": {"numerator": 50}}}, "directResponse": {"status": 500}},
		{"name": "half", "match": {"prefix": "/half"}, "route": {"weightedClusters": {"clusters": [{"name": "v1", "weight": 50}, {"name": "v2", "weight": 50}]}}},
		{"name": "some", "match": {"prefix": "/some", "runtimeFraction": {"defaultValue": {"numerator": 250000, "denominator": "MILLION"}}}, "directResponse": {"status": 503}},
		{"name": "post", "match": {"prefix": "/m", "headers": [{"name": ":method", "stringMatch": {"exact": "POST"}}]}, "route": {"cluster": "v2"}},
		{"name": "query", "match": {"prefix": "/m", "queryParameters": [{"name": "q", "stringMatch": {"exact": "a"}}]}, "route": {"cluster": "v3"}}`)
	for _, tt := range []struct {
		request Request
		want    string
	}{
		{Request{Path: "/p"}, "1 forwarded exact v1 127.0.0.1/p"},
		{Request{Path: "/q/../%70"}, "1 forwarded exact v1 127.0.0.1/p"},
		{Request{Path: "/p/"}, "1 no route "},
		{Request{Path: "//p"}, "1 no route "},
		{Request{Path: "/P"}, "1 no route "},
		{Request{Path: "/v2"}, "1 forwarded new v2 127.0.0.1/new"},
		{Request{Path: "/v2/"}, "1 forwarded new v2 new.mesh/new"},
		{Request{Path: "/v2/x"}, "1 forwarded new v2 new.mesh/newx"},
		{Request{Path: "/v20"}, "1 no route "},
		{Request{Path: "/g/ab"}, "1 forwarded groups v1 127.0.0.1/b$1a"},
		{Request{Path: "/r/x"}, "1 redirected redirect 308 https://h:81/s/x"},
		{Request{Path: "/r"}, "1 redirected redirect 301 http://127.0.0.1/elsewhere"},
		{Request{Path: "/split"}, "9/10 forwarded split v1 127.0.0.1/split; 1/10 forwarded split v2 127.0.0.1/split"},
		{Request{Path: "/half"}, "1/2 answered broken 500; 1/2 forwarded half v2 127.0.0.1/half"},
		{Request{Path: "/some"}, "1/4 answered some 503; 3/4 no route "},
		{Request{Path: "/m", Method: "POST", Query: map[string]string{"q": "a"}}, "1 forwarded post v2 127.0.0.1/m"},
		{Request{Path: "/m", Query: map[string]string{"q": "a"}}, "1 forwarded query v3 127.0.0.1/m"},
		{Request{Path: "/m", Method: "post"}, "1 no route "},
		{Request{Port: 81}, "1 no listener "},
		{Request{Host: "127.0.0.2"}, "1 no listener "},
		{Request{Host: "unknown.mesh"}, "1 no listener "},
		{Request{Protocol: TLS}, "1 closed "},
	} {
		if tt.request.Host == "" {
			tt.request.Host = "127.0.0.1"
		}
		if tt.request.Port == 0 {
			tt.request.Port = 80
		}
		got, err := c.Send(tt.request)
		if err != nil || summary(got) != tt.want {
			t.Errorf("%+v: %s, %v, want %s", tt.request, summary(got), err, tt.want)
		}
	}
}

func TestSendSettings(t *testing.T) {
	t.Parallel()
	send := func(action string, r Request) Outcome {
		t.Helper()
		r.Host, r.Port = "127.0.0.1", 80
		got, err := sender(t, `{"match": {"prefix": "/"}, `+action+`}`).Send(r)
		testworld.NoError(t, err)
		return got[0]
	}
	o := send(`"route": {"cluster": "v1"}`, Request{})
	want := Timeouts{Connect: 2 * time.Second, Request: 15 * time.Second, StreamIdle: time.Minute, Idle: time.Hour}
	if o.Timeouts != want || o.Retry != nil || o.Mirrors != nil {
		t.Errorf("defaults: %+v", o)
	}
	if len(o.Hosts) != 2 || !o.Hosts[0].Healthy || o.Hosts[1].Healthy {
		t.Errorf("hosts: %+v", o.Hosts)
	}
	o = send(`"route": {"cluster": "v1", "timeout": "0s", "idleTimeout": "7s", "maxStreamDuration": {"maxStreamDuration": "8s"}}`, Request{})
	if want := (Timeouts{Connect: 2 * time.Second, StreamIdle: 7 * time.Second, Idle: time.Hour, MaxStream: 8 * time.Second}); o.Timeouts != want {
		t.Errorf("timeouts: %+v, want %+v", o.Timeouts, want)
	}
	retry := `"route": {"cluster": "v1", "retryPolicy": {"retryOn": "5xx,reset", "numRetries": 3, "perTryTimeout": "1s",
		"retriableRequestHeaders": [{"name": ":method", "stringMatch": {"exact": "GET"}}], "retryBackOff": {"baseInterval": "0.010s"}}}`
	o = send(retry, Request{Method: "GET"})
	if got := fmt.Sprintf("%+v", o.Retry); got != "&{Attempts:3 On:[5xx reset] Statuses:[] PerTry:1s Base:10ms Max:100ms}" {
		t.Errorf("retry: %s", got)
	}
	if o = send(retry, Request{Method: "POST"}); o.Retry != nil {
		t.Errorf("a request that is not retriable: %+v", o.Retry)
	}
	o = send(`"route": {"cluster": "v1", "requestMirrorPolicies": [{"cluster": "v2"}, {"cluster": "v1", "runtimeFraction": {"defaultValue": {"numerator": 5}}}]}`, Request{})
	if len(o.Mirrors) != 2 || o.Mirrors[0].Share.RatString() != "1" || o.Mirrors[1].Share.RatString() != "1/20" || len(o.Mirrors[1].Hosts) != 2 {
		t.Errorf("mirrors: %+v", o.Mirrors)
	}
	o = send(`"route": {"cluster": "v1"}, "requestHeadersToRemove": ["A"], "requestHeadersToAdd": [
		{"header": {"key": "b", "value": "2"}}, {"header": {"key": "c", "value": "3"}, "appendAction": "OVERWRITE_IF_EXISTS_OR_ADD"},
		{"header": {"key": "d", "value": "4"}, "appendAction": "ADD_IF_ABSENT"}, {"header": {"key": "e", "value": "5"}, "appendAction": "OVERWRITE_IF_EXISTS"}]`,
		Request{Headers: map[string]string{"a": "1", "b": "1", "C": "1", "d": "1"}})
	if got := fmt.Sprint(o.Request.Headers); got != "map[b:1,2 c:3 d:1]" {
		t.Errorf("headers: %s", got)
	}
	_, err := sender(t, `{"match": {"prefix": "/"}, "route": {"clusterHeader": "x"}}`).Send(Request{Host: "127.0.0.1", Port: 80})
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("an action that is not evaluated: %v", err)
	}
}

func TestHostFor(t *testing.T) {
	t.Parallel()
	var hosts []*route.VirtualHost
	for _, domain := range []string{"*", "api.mesh", "*.mesh", "*.api.mesh", "api.*"} {
		hosts = append(hosts, &route.VirtualHost{Name: domain, Domains: []string{domain}})
	}
	for host, want := range map[string]string{
		"api.mesh": "api.mesh", "API.mesh:80": "api.mesh", "web.mesh": "*.mesh", "v1.api.mesh": "*.api.mesh", "api.other": "api.*", ".mesh": "*", "mesh": "*", "10.0.0.1": "*",
	} {
		if got := hostFor(hosts, host); got.GetName() != want {
			t.Errorf("%s: %s, want %s", host, got.GetName(), want)
		}
	}
	if got := hostFor(hosts[1:], "other"); got != nil {
		t.Errorf("no domain: %v", got)
	}
}

func TestChainFor(t *testing.T) {
	t.Parallel()
	l := message(t, &listener.Listener{}, `{"filterChains": [
		{"name": "plaintext", "filterChainMatch": {"transportProtocol": "raw_buffer"}},
		{"name": "TLS", "filterChainMatch": {"transportProtocol": "tls"}},
		{"name": "mesh", "filterChainMatch": {"transportProtocol": "tls", "applicationProtocols": ["kuma"]}},
		{"name": "name", "filterChainMatch": {"serverNames": ["api.mesh"], "transportProtocol": "tls"}},
		{"name": "wildcard", "filterChainMatch": {"serverNames": ["*.mesh"]}},
		{"name": "port", "filterChainMatch": {"destinationPort": 81, "transportProtocol": "tls"}},
		{"name": "range", "filterChainMatch": {"prefixRanges": [{"addressPrefix": "10.0.0.0", "prefixLen": 8}]}},
		{"name": "subrange", "filterChainMatch": {"prefixRanges": [{"addressPrefix": "10.1.0.0", "prefixLen": 16}], "transportProtocol": "tls"}}]}`)
	for _, tt := range []struct {
		name, want string
		peer       peer
	}{
		{"without TLS", "plaintext", peer{}},
		{"with TLS", "TLS", peer{encrypted: true, protocols: []string{"h2"}}},
		{"with the protocol of the mesh", "mesh", peer{encrypted: true, protocols: []string{"h2", "kuma"}}},
		{"the name goes before the protocol", "name", peer{encrypted: true, serverName: "api.mesh", protocols: []string{"kuma"}}},
		{"a name in another case", "name", peer{encrypted: true, serverName: "API.mesh"}},
		{"a suffix", "wildcard", peer{encrypted: true, serverName: "web.mesh"}},
		{"the port goes first", "port", peer{encrypted: true, serverName: "api.mesh", local: addrPort("127.0.0.1:81")}},
		{"the port does not fall back", "", peer{local: addrPort("127.0.0.1:81")}},
		{"a range", "range", peer{local: addrPort("10.2.0.1:80")}},
		{"the longest range", "subrange", peer{encrypted: true, local: addrPort("10.1.0.1:80")}},
	} {
		got, err := chainFor(l, tt.peer)
		if err != nil || got.GetName() != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got.GetName(), err, tt.want)
		}
	}
}

func TestSetState(t *testing.T) {
	t.Parallel()
	value := func(key, format string) string {
		return `{"objectKey": "` + key + `", "factoryKey": "envoy.string", "skipIfEmpty": true, "formatString": {"textFormatSource": {"inlineString": "` + format + `"}}}`
	}
	config := message(t, &setstate.Config{}, `{"onDownstreamTlsHandshake": [`+value("id", "%DOWNSTREAM_PEER_URI_SAN%")+`, `+value("sni", "%REQUESTED_SERVER_NAME%")+`]}`)
	for _, tt := range []struct {
		peer peer
		want map[string]string
	}{
		{peer{}, map[string]string{}},
		{peer{serverName: "api", names: []string{"a"}}, map[string]string{}}, // no handshake
		{peer{tls: true, names: []string{"a", "b"}}, map[string]string{"id": "a,b"}},
		{peer{tls: true, names: []string{"a"}, serverName: "api"}, map[string]string{"id": "a", "sni": "api"}},
	} {
		if err := setState(config, &tt.peer); err != nil || !maps.Equal(tt.peer.filterStates, tt.want) {
			t.Errorf("%v, %v, want %v", tt.peer.filterStates, err, tt.want)
		}
	}
	if err := setState(message(t, &setstate.Config{}, `{"onDownstreamTlsHandshake": [`+value("x", "%OTHER%")+`]}`), &peer{tls: true}); err == nil {
		t.Error("a format that is not evaluated is not an error")
	}
}

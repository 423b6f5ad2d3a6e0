package tfschema

import "testing"

func TestAttributeName(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"name": "name", "targetRef": "target_ref", "spiffeID": "spiffe_id", "RSAbits": "rsa_bits", "skipMTLS": "skip_mtls",
		"MeshHTTPRoute": "mesh_http_route", "traceId128bit": "trace_id_128bit", "http2": "http2", "base64Value": "base64_value", "HTTP2Options": "http2_options", "urlRewrite": "url_rewrite",
	}
	for wire, want := range tests {
		if got := AttributeName(wire); got != want {
			t.Errorf("AttributeName(%s) = %s, want %s", wire, got, want)
		}
	}
}

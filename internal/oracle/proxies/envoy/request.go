package envoy

import (
	"maps"
	"strings"
)

// Request is a connection, and the HTTP request that is sent over it. It is plain
// data, without anything of a release or of a configuration.
type Request struct {
	Host     string // host name or IP address that the client connects to
	Address  string // of a proxy that accepts the request from outside the mesh; empty for one that the application has beside it
	Port     int
	Protocol Protocol

	// The rest applies to HTTP only.
	Method  string
	Path    string            // without the query; "/" when empty
	Headers map[string]string // by name in any case
	Query   map[string]string
}

// Protocol is what a client speaks.
type Protocol string

// Protocols of clients. HTTP includes HTTP/2 and gRPC, between which no filter chain
// of Kuma distinguishes.
const (
	HTTP  Protocol = "http" // the default
	HTTPS Protocol = "https"
	TCP   Protocol = "tcp"
	TLS   Protocol = "tls" // the client itself encrypts, for the host
)

// header returns the value of a header or pseudo header by its name in lower case.
func (r Request) header(name string) (string, bool) {
	switch name {
	case ":method":
		return r.Method, true
	case ":path":
		return r.Path, true
	case ":authority", "host":
		return r.Host, true
	case ":scheme":
		return "http", true
	}
	for key, value := range r.Headers {
		if strings.EqualFold(key, name) {
			return value, true
		}
	}
	return "", false
}

// with returns the request with a header that is set, appended to the value that it
// has, or removed if value is nil.
func (r Request) with(name string, value *string, appended bool) Request {
	before, ok := r.header(strings.ToLower(name))
	r.Headers = maps.Clone(r.Headers)
	maps.DeleteFunc(r.Headers, func(key, _ string) bool { return strings.EqualFold(key, name) })
	if value == nil {
		return r
	}
	if r.Headers == nil {
		r.Headers = map[string]string{}
	}
	r.Headers[name] = *value
	if appended && ok {
		r.Headers[name] = before + "," + *value
	}
	return r
}

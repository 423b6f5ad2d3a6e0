package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config describes a control plane and the connection to it.
type Config struct {
	Endpoint string            // URL, with the base path if the server has one
	Token    string            // user token; empty for an anonymous client
	Headers  map[string]string // sent with every request, for a proxy in front of the server
	TLS      TLS

	// Transport carries the requests; nil means the network. TLS does not apply
	// to it.
	Transport http.RoundTripper
	// InProcess is true if Transport reaches a control plane in this process:
	// errors then give no advice about a server, an endpoint or a network.
	InProcess bool
	// Identity distinguishes control planes that have the same endpoint, such as those in this
	// process; the endpoint when empty.
	Identity string

	UserAgent      string        // "terraform-provider-kuma" when empty
	MaxRetries     int           // 12 when zero, none when negative; at most 4 while [Client.Discover] reaches no server
	FirstRetry     time.Duration // after the first attempt, doubling up to 20 times as much; 250 ms when zero
	RequestTimeout time.Duration // of one attempt; 60 s when zero, more than the 30 s that a server takes for a large list
	MaxAnswer      int64         // bytes; 256 MB when zero. A page of 1000 resources takes about 1 MB

	// Log is called after every attempt; nil disables logging.
	Log func(context.Context, Attempt)
}

// TLS holds the trusted authorities and the client certificate. All strings are PEM.
type TLS struct {
	CA                 string // instead of the system's certificates
	ClientCert         string
	ClientKey          string
	InsecureSkipVerify bool
}

// Fields of a [Config] that a [ConfigError] may name.
const (
	FieldEndpoint   = "endpoint"
	FieldToken      = "token"
	FieldHeaders    = "headers"
	FieldCA         = "ca_certificate"
	FieldClientCert = "client_certificate"
	FieldClientKey  = "client_key"
	FieldContext    = "context" // of kumactl, see [Kumactl]

	FieldInsecureSkipVerify = "insecure_skip_verify"
)

// ConfigError reports which field of a [Config] is invalid, and why. It quotes
// no secret.
type ConfigError struct {
	Field  string // one of the constants above
	Reason string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("the %s %s", e.Field, e.Reason)
}

// Risks returns the insecure settings of c: credentials that are sent without
// encryption, or a server whose certificate is not verified. They are not errors.
func (c Config) Risks() []ConfigError {
	endpoint, err := c.endpoint()
	if err != nil || c.Transport != nil {
		return nil
	}
	var risks []ConfigError
	if sent := c.credentials(); sent != "" && endpoint.Scheme == "http" && !isLoopback(endpoint.Hostname()) {
		risks = append(risks, ConfigError{
			FieldEndpoint,
			fmt.Sprintf("%s does not use encryption: anyone on the network path can read %s. "+
				"Use https, by default on port 5682 of the control plane", endpoint, sent),
		})
	}
	if endpoint.Scheme == "https" && c.TLS.InsecureSkipVerify {
		risks = append(risks, ConfigError{
			FieldInsecureSkipVerify,
			"setting accepts any certificate, which allows man-in-the-middle attacks. " +
				"Set ca_certificate to the certificate of the authority (CA) instead",
		})
	}
	return risks
}

// credentials names the confidential parts of every request; empty
// for none. Configured headers may contain credentials.
func (c Config) credentials() string {
	switch {
	case c.Token != "" && len(c.Headers) > 0:
		return "the token and the configured headers"
	case c.Token != "":
		return "the token"
	case len(c.Headers) > 0:
		return "the configured headers"
	default:
		return ""
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

const exampleEndpoint = "https://kuma.example.com:5682"

// endpoint returns the URL of the server. Errors do not quote an invalid one: it
// may contain a password.
func (c Config) endpoint() (*url.URL, error) {
	refused := func(reason string) (*url.URL, error) {
		return nil, &ConfigError{FieldEndpoint, reason}
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case c.Endpoint == "":
		return refused("must not be empty. Use a URL such as " + exampleEndpoint)
	case err != nil:
		return refused("is not a valid URL. Use a URL such as " + exampleEndpoint)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return refused("must begin with http:// or https:// and a host. Use a URL such as " + exampleEndpoint)
	case u.User != nil:
		return refused("must not contain a user name or password. Set the token instead")
	case u.RawQuery != "" || u.Fragment != "":
		return refused("must not have a query or fragment. Use a URL such as " + exampleEndpoint)
	}
	if base, _, isGUI := strings.Cut(u.Path+"/", "/gui/"); isGUI {
		u.Path, u.RawPath = base, ""
		return refused(fmt.Sprintf("is the URL of the GUI. Use the URL of the API: %s", u))
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	u.RawPath = ""
	return u, nil
}

// headers returns what every request carries.
func (c Config) headers() (http.Header, error) {
	h := http.Header{"Accept": {mediaJSON}, "User-Agent": {c.UserAgent}}
	if c.UserAgent == "" {
		h.Set("User-Agent", "terraform-provider-kuma")
	}
	for name, value := range c.Headers {
		switch {
		case name == "" || strings.ContainsFunc(name, notInHeaderName):
			return nil, &ConfigError{FieldHeaders, fmt.Sprintf("must not contain %q, which is not a valid name of an HTTP header", name)}
		case strings.ContainsFunc(value, isControl):
			return nil, &ConfigError{FieldHeaders, fmt.Sprintf("must not contain control characters: remove them from the value of %q", name)}
		}
		if c.Token != "" && http.CanonicalHeaderKey(name) == "Authorization" {
			return nil, &ConfigError{FieldHeaders, "must not set Authorization together with a token. Remove one of them"}
		}
		h.Set(name, value)
	}
	if token := strings.TrimSpace(c.Token); token != "" {
		if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, &ConfigError{FieldToken, "must not contain spaces or control characters. Check how it is read"}
		}
		h.Set("Authorization", "Bearer "+token)
	}
	return h, nil
}

func notInHeaderName(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func (c Config) transport() (http.RoundTripper, error) {
	if c.Transport != nil {
		return c.Transport, nil
	}
	t, err := c.TLS.config()
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		TLSClientConfig:       t,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second, // the server closes after 120 s
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   16,
		ForceAttemptHTTP2:     true,
	}, nil
}

func (t TLS) config() (*tls.Config, error) {
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: t.InsecureSkipVerify, // explicitly requested by the user
	}
	if t.CA != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM([]byte(t.CA)) {
			return nil, &ConfigError{FieldCA, "contains no certificate in PEM format" + contentOf(t.CA, FieldCA, "ca.pem")}
		}
	}
	switch {
	case t.ClientCert == "" && t.ClientKey == "":
		return c, nil
	case t.ClientKey == "":
		return nil, &ConfigError{FieldClientKey, "is required with a client certificate"}
	case t.ClientCert == "":
		return nil, &ConfigError{FieldClientCert, "is required with a client key"}
	}
	pair, err := tls.X509KeyPair([]byte(t.ClientCert), []byte(t.ClientKey))
	if err != nil {
		return nil, &ConfigError{FieldClientCert, "and client_key are not a valid pair in PEM format: " + err.Error() +
			contentOf(t.ClientCert, FieldClientCert, "client.pem") + contentOf(t.ClientKey, FieldClientKey, "client-key.pem")}
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// contentOf returns a hint for a value that looks like the path of a PEM file.
func contentOf(value, field, example string) string {
	if strings.ContainsAny(strings.TrimSpace(value), "\n ") {
		return ""
	}
	return fmt.Sprintf(`. Set the content of the file, not its path: %s = file(%q)`, field, example)
}

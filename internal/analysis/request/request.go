package request

import (
	"errors"
	"math/big"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Request is a request of a client to a service. Exactly one of Dataplane, ClientService and
// SPIFFEID identifies the client.
type Request struct {
	Mesh          string
	Dataplane     string // whose application sends it
	ClientService string // whose proxies send it: name, display name, KRI, or value of the tag kuma.io/service
	SPIFFEID      string // of a client whose proxy is not known
	Service       Service

	// The rest applies to HTTP only.
	Method  string            // GET when empty
	Path    string            // without the query; / when empty
	Host    string            // header Host, the host or the name of the service when empty
	Headers map[string]string // by name in any case
	Query   map[string]string
}

// Service identifies the port of a service: by its name, or as applications call it.
type Service struct {
	Kind string // any when empty
	Name string // or display name, or KRI
	Host string // instead of the name: host name or address, of an outbound of the client, a service or anything else
	Port int    // when zero the only one, or 80 of a host
}

// Errors about the parts of a request, besides those of package rules.
var (
	ErrUnknownService   = errors.New("unknown service")
	ErrUnknownPort      = errors.New("unknown port")
	ErrAmbiguousService = errors.New("ambiguous service")
	ErrInvalidMethod    = errors.New("invalid method")
	ErrInvalidPath      = errors.New("invalid path")
	ErrUnknownClient    = errors.New("no Dataplane provides the service")
	ErrInvalidSPIFFEID  = errors.New("invalid SPIFFE ID")
)

// Verdict is what happens to a request.
type Verdict string

// Verdicts.
const (
	Allowed     Verdict = "allowed"                // a proxy of the service receives it
	Denied      Verdict = "denied"                 // by the permissions of the proxy that receives it
	Redirected  Verdict = "redirected"             // the client is told another URL
	NoRoute     Verdict = "no_route"               // 404
	Failed      Verdict = "error"                  // 500: the backend of the route does not exist
	NoHealthy   Verdict = "no_healthy_destination" // 503: no proxy provides the service
	TLSFailed   Verdict = "tls_failed"             // only one side speaks TLS
	Unreachable Verdict = "unreachable"            // no outbound to the service, or connections to the host are not let through
	Passthrough Verdict = "passthrough"            // the host is not a service of the mesh, and the proxy lets connections to it through
	Mixed       Verdict = "mixed"                  // different verdicts for shares of the requests, or for proxies of the client
	Unknown     Verdict = "unknown"                // cannot be decided
)

// Answer is what happens to a request.
type Answer struct {
	Verdict     Verdict
	Reason      string            // a sentence
	Destination rules.Port        // without a number and a type of resource if only Tags are known
	Tags        map[string]string // of the outbound, if it selects proxies by them
	Listener    *Listener         // of the builtin gateway that takes the request; nil for another client
	Route       *Route            // nil if no route takes the request: it goes to the destination itself
	Filters     []string
	Redirect    *Redirect
	Forwarded   Forwarded // the request that a backend gets
	Backends    []Backend // nil for a redirect
	Mirrors     []Mirror
	Timeouts    Timeouts // of the request and its stream
	Retry       *Retry   // nil: none
	Explanation []string // lines
	// NotConsidered names what can affect the request and is not computed.
	NotConsidered []string
	// Clients are the answers to the proxies of a ClientService, one for each group of equal answers. If
	// there are several, the answer itself has only a verdict, a reason and an explanation.
	Clients []ClientAnswer
}

// ClientAnswer is what happens to the requests of some Dataplanes.
type ClientAnswer struct {
	Dataplanes []string
	Answer
}

// Route is the rule of a route that takes a request.
type Route struct {
	Policy    kuma.Key
	Rule      int // in the `to` entry of the policy that has the rule
	Entry     int // in `to`
	Condition string
}

// Redirect is the response to a request that is redirected.
type Redirect struct {
	Status   int    `json:"status"`
	Location string `json:"location"`
}

// Forwarded is what filters change.
type Forwarded struct {
	Host, Path      string
	Headers         map[string]string
	ResponseHeaders []HeaderChange
}

// HeaderChange is a change of a header: set, add or remove.
type HeaderChange struct{ Action, Name, Value string }

// Backend gets a share of the requests.
type Backend struct {
	Port     rules.Port        // zero if the reference does not resolve
	Tags     map[string]string // by which it is selected; nil for a resource
	Name     string            // of the service, for people
	Share    *big.Rat
	Verdict  Verdict
	Reason   string
	Timeouts Timeouts // of connections
	Proxies  []Proxy
}

// Mirror gets copies of a share of the requests.
type Mirror struct {
	Port  rules.Port
	Tags  map[string]string // by which it is selected; nil for a resource
	Name  string
	Share *big.Rat
}

// Proxy is a proxy of a service that receives requests.
type Proxy struct {
	Dataplane string
	Inbound   rules.Inbound
	Verdict   Verdict
	Reason    string
	TLS       bool       // the client uses TLS
	Security  Security   // of the connection; empty if there is none
	Because   string     // a clause: why the connection has this security
	By        []kuma.Key // policies that decide the permission; none if it is decided by default, or not checked
	Rule      Rule       // of By
	Consulted []kuma.Key // permissions of the inbound, if none of them decides and the client is denied
	Timeouts  Timeouts   // for incoming requests

	Protection
}

// Security is how a connection between proxies is protected.
type Security string

// Securities of connections.
const (
	MutualTLS  Security = "mutual"
	Plaintext  Security = "plaintext"  // the proxy that receives it has no certificate
	Permissive Security = "permissive" // plaintext, which the proxy accepts beside mutual TLS
)

// Rule is the part of a MeshTrafficPermission that decides: zero if none does.
type Rule struct {
	Entry int    // in `rules` or `from`
	List  string // allow, allowWithShadowDeny, deny or from
	Match string // SPIFFE ID, with * after a prefix, or server name; empty in from
}

// Timeouts are the timeouts that apply to a request. A timeout that does not exist for it is nil.
type Timeouts struct {
	Connect, Request, StreamIdle, Idle, MaxStream, MaxConnection *Timeout
}

// Timeout is a setting; zero means unlimited.
type Timeout struct {
	Duration time.Duration
	By       kuma.Key // empty for a default
	ByProxy  bool     // it is a default of Envoy, and not of the control plane
	ByRoute  bool     // an entry for the route sets it
}

// Retry says how often a proxy repeats a failed request.
type Retry struct {
	Attempts  int           // besides the first one
	On        []string      // conditions by the names of Envoy, and status codes
	PerTry    time.Duration // zero: no limit
	Base, Max time.Duration // of the backoff
	By        kuma.Key
	From      RetryOrigins
	ByRoute   bool // an entry for the route sets them
}

// RetryOrigins are where the values of a [Retry] come from.
type RetryOrigins struct{ Attempts, On, PerTry, Base, Max Origin }

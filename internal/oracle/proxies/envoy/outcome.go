package envoy

import (
	"math/big"
	"time"
)

// Verdict is what happens to a request.
type Verdict string

// Verdicts of a proxy on a request that it sends.
const (
	Forwarded   Verdict = "forwarded"   // to a cluster
	Redirected  Verdict = "redirected"  // the client is told another URL
	Answered    Verdict = "answered"    // by the proxy itself, with a fixed response
	NoRoute     Verdict = "no route"    // 404
	NoListener  Verdict = "no listener" // the proxy does not know the destination
	Passthrough Verdict = "passthrough" // to the address of the client, not of the mesh
	Closed      Verdict = "closed"      // the connection
)

// Verdicts of a proxy on a request that it receives, besides NoRoute, NoListener and
// Closed.
const (
	Allowed      Verdict = "allowed"
	Denied       Verdict = "denied"        // by RBAC: 403, or the connection is closed
	HandshakeTLS Verdict = "TLS handshake" // failed, or only one side speaks TLS
)

// Outcome is what a proxy does with a share of equal requests.
type Outcome struct {
	Share    *big.Rat // the shares of all outcomes add up to 1
	Verdict  Verdict
	Listener string
	Route    string // name, "" for TCP
	Match    string // of the path, such as "prefix /v2/"
	Status   int    // of a redirect or an answer
	Location string // of a redirect
	Response []HeaderChange

	// The rest is set for forwarded requests.
	Cluster  string
	Request  Request // as it is forwarded: rewritten, and with changed headers
	Mirrors  []Mirror
	Retry    *Retry // nil: none
	Filters  Filters
	Timeouts Timeouts
	Hosts    []Host // endpoints of the cluster
}

// HeaderChange is a change of a header of the response.
type HeaderChange struct{ Action, Name, Value string }

// Mirror is a cluster that gets a copy of a share of the requests.
type Mirror struct {
	Cluster string
	Share   *big.Rat
	Hosts   []Host
}

// Host is an endpoint of a cluster.
type Host struct {
	Address string
	Port    int
	Weight  int
	// Priority is 0 for hosts that get requests as long as one of them is healthy, and more for others.
	Priority int
	Healthy  bool
	TLS      *ClientTLS // how the proxy connects; nil: plaintext

	Dataplane string   // of the mesh that receives the request, "" if none does
	Arrival   *Arrival // what happens there; nil if nothing does
}

// Timeouts are those that apply to a request, defaults included; zero: no limit.
type Timeouts struct {
	Connect       time.Duration
	Request       time.Duration // whole response
	StreamIdle    time.Duration
	Idle          time.Duration // of connections to the cluster
	MaxStream     time.Duration
	MaxConnection time.Duration // of connections to the cluster
	Headers       time.Duration // until all headers of the request have arrived
}

// Retry is a retry policy that applies to a request.
type Retry struct {
	Attempts int // without the first one
	On       []string
	Statuses []int
	PerTry   time.Duration // zero: no limit
	Base     time.Duration // of the backoff
	Max      time.Duration
}

// Limit is a local rate limit. Enforced is the share of requests to which it applies.
type Limit struct {
	Tokens   int
	Interval time.Duration
	Status   int // zero for connections
	Enforced *big.Rat
}

// Fault is a fault that is injected into a share of the requests: the fields of one
// of its three forms are set.
type Fault struct {
	Name   string
	Share  *big.Rat
	Status int
	Delay  time.Duration
	Kbps   int
}

// Filters are the effects of filters on a connection and a request.
type Filters struct {
	Permission  *Permission // nil: no filter checks the client
	Connections *Limit
	Requests    *Limit
	Faults      []Fault
}

// Permission is the decision of the last RBAC filter, which is the first that denies
// if there is one.
type Permission struct {
	Allowed bool
	Policy  string  // that decides, "" if none matches
	Shadow  *Shadow // nil: no shadow rules
}

// Shadow is the decision of shadow rules, which is only logged.
type Shadow struct {
	Allowed bool
	Policy  string
}

// Arrival is what a proxy does with a request that it receives.
type Arrival struct {
	Verdict  Verdict
	Reason   string // of Closed and HandshakeTLS
	Listener string
	TLS      bool // a certificate of the client is required in the filter chain
	Match    string
	Filters  Filters
	Timeouts Timeouts
}

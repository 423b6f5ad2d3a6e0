package request

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// say adds a line to the explanation.
func (s *sending) say(format string, args ...any) {
	s.Explanation = append(s.Explanation, fmt.Sprintf(format, args...))
}

// explain describes the way of the request from top to bottom.
func (s *sending) explain() {
	before := s.Explanation
	s.Explanation = nil
	if s.Backends == nil && (s.Verdict == Unreachable || s.Verdict == Passthrough || s.Verdict == Unknown) {
		s.say("%s %s from %s to %s", s.Method, s.Path, s.sender(), s.Service)
		s.say("Verdict: %s. %s", s.Verdict, s.Reason)
		return
	}
	if s.Listener != nil {
		s.explainListener()
	} else if s.Tags != nil {
		s.say("%s %s from %s to %s: %s (%s)", s.Method, s.Path, s.sender(), s.Service, phrase.Pairs(s.Tags), cmp.Or(s.Destination.Protocol, protocolTCP))
	} else {
		s.say("%s %s from %s to %s, port %d (%s)", s.Method, s.Path, s.sender(), kuma.Describe(s.Destination.Resource.Type, s.Destination.Resource.Name, ""), s.Destination.Number, s.Destination.Protocol)
	}
	s.Explanation = append(s.Explanation, before...)
	switch {
	case s.SPIFFEID != "":
		s.say("Route: not known, because only the SPIFFE ID of the client is")
	case s.Route != nil:
		s.say("Route: %s", s.Route)
		if s.Route.Condition != "" {
			s.say("  condition: %s", s.Route.Condition)
		}
	case s.Listener != nil:
		s.say("Route: none")
	case s.routed:
		s.say("Route: none, because no rule of the routes to the service matches")
	default:
		s.say("Route: none, the request goes to the service itself")
	}
	for _, f := range s.Filters {
		s.say("Filter: %s", f)
	}
	for _, b := range s.Backends {
		s.backend(b)
	}
	if times := s.Timeouts.String(); times != "" {
		s.say("Timeouts of the request: %s", times)
	}
	if r := s.Retry; r != nil {
		s.say("Retries: %d on %s (%s)", r.Attempts, cmp.Or(strings.Join(r.On, ", "), "failures to connect"), r.By.Local())
	} else if s.Backends != nil && s.SPIFFEID == "" {
		s.say("Retries: none")
	}
	if len(s.NotConsidered) > 0 {
		s.say("Not considered: %s", strings.Join(s.NotConsidered, ", "))
	}
	s.say("Verdict: %s", strings.TrimSpace(string(s.Verdict)+". "+s.Reason))
}

func (s *sending) backend(b Backend) {
	s.say("%s to %s: %s", percentText(b.Share), b.Name, b.Verdict)
	for _, p := range b.Proxies {
		how := "plaintext"
		if p.TLS {
			how = "mutual TLS"
		}
		var by []string
		for _, key := range p.By {
			by = append(by, key.Local())
		}
		line := fmt.Sprintf("  Dataplane %q, %s: %s, %s", p.Dataplane, p.Inbound, how, p.Verdict)
		if len(by) > 0 {
			line += " by " + phrase.And(by...)
		}
		s.say("%s", line)
		if p.Verdict != Allowed && p.Verdict != b.Verdict {
			s.say("    %s", p.Reason)
		}
		if times := p.Timeouts.String(); times != "" {
			s.say("    timeouts of incoming requests: %s", times)
		}
		if p.Requests != nil {
			s.say("    requests: at most %s", p.Requests)
		}
		if p.Connections != nil {
			s.say("    connections: at most %s", p.Connections)
		}
		for _, f := range p.Faults {
			s.say("    fault: %s", f)
		}
	}
	if times := b.Timeouts.String(); times != "" {
		s.say("  timeouts of connections: %s", times)
	}
}

// String describes timeouts and who sets them.
func (t Timeouts) String() string {
	var set, unset []string
	for _, e := range t.all() {
		switch {
		case e.timeout.By != kuma.Key{}:
			set = append(set, fmt.Sprintf("%s %s (%s)", e.name, limit(e.timeout.Duration), e.timeout.By.Local()))
		case e.timeout.Duration > 0:
			unset = append(unset, e.name+" "+limit(e.timeout.Duration))
		}
	}
	if len(unset) > 0 {
		set = append(set, strings.Join(unset, ", ")+" (default of the control plane)")
	}
	return strings.Join(set, ", ")
}

// namedTimeout is a timeout with its name for people and the path of the setting.
type namedTimeout struct {
	name, path string
	timeout    *Timeout
}

// all returns the timeouts that exist.
func (t Timeouts) all() []namedTimeout {
	return slices.DeleteFunc([]namedTimeout{
		{"connect", connectionTimeout, t.Connect},
		{"request", requestTimeout, t.Request},
		{"stream idle", streamIdleTimeout, t.StreamIdle},
		{"idle", idleTimeout, t.Idle},
		{"maximum stream duration", maxStreamDuration, t.MaxStream},
		{"maximum connection duration", maxConnectionDuration, t.MaxConnection},
	}, func(n namedTimeout) bool { return n.timeout == nil })
}

func limit(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

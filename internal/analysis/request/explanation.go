package request

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
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
		s.say("Verdict: %s. %s", s.Verdict.Words(), s.Reason)
		return
	}
	if s.Listener != nil {
		s.explainListener()
	} else if s.Tags != nil {
		s.say("%s %s from %s to %s: %s (%s)", s.Method, s.Path, s.sender(), s.Service, phrase.Pairs(s.Tags),
			cmp.Or(s.Destination.Protocol, protocolTCP))
	} else {
		s.say("%s %s from %s to %s, port %d (%s)", s.Method, s.Path, s.sender(),
			kuma.Describe(s.Destination.Resource.Type, s.Destination.Resource.Name, ""), s.Destination.Number, s.Destination.Protocol)
	}
	s.explainClient()
	s.Explanation = append(s.Explanation, before...)
	s.explainRoute()
	for _, f := range s.Filters {
		s.say("Filter: %s", f)
	}
	if times := s.Timeouts.String(); times != "" {
		s.say("Timeouts of the request: %s", times)
	}
	if s.Retry != nil {
		s.say("Retries: %s", s.Retry)
	} else if s.Backends != nil && s.SPIFFEID == "" {
		s.say("Retries: none, because %s", s.noRetry)
	}
	for _, b := range s.Backends {
		s.explainBackend(b)
	}
	s.explainNotConsidered()
	s.say("Verdict: %s", strings.TrimSpace(s.Verdict.Words()+". "+s.Reason))
}

// Words returns the verdict as words of a sentence.
func (v Verdict) Words() string {
	return strings.NewReplacer("_", " ", "tls", "TLS").Replace(string(v))
}

// explainClient gives the identity of the client, and where its application connects.
func (s *sending) explainClient() {
	if s.SPIFFEID != "" {
		return
	}
	switch names := s.client.Names; {
	case s.client.Unknown != nil:
		s.say("Client: not known, because %s", s.client.Unknown)
	case s.client.NotIssued != "":
		s.say("Client: without a certificate: %s", s.client.NotIssued)
	case len(names) == 0:
		s.say("Client: without a certificate, because no MeshIdentity selects its Dataplane")
	case len(names) == 1:
		s.say("Client: %s, issued by %s", names[0], certificate(s.client))
	default:
		s.say("Client: %s and %s, issued by %s", names[0], phrase.Count(len(names)-1, "other name", "other names"), certificate(s.client))
	}
	switch listener := s.outbound(); {
	case s.Listener != nil:
	case listener != "":
		s.say("Listener: %s, an outbound of the client", listener)
	case proxy.IsTransparent(s.proxy()) && s.Service.Host != "":
		s.say("Listener: %s, through the transparent proxy", s.Service)
	case proxy.IsTransparent(s.proxy()):
		s.say("Listener: host names and virtual addresses of the service, through the transparent proxy")
	}
}

// outbound returns the address of the outbound to the destination, empty if there is none.
func (s *sending) outbound() string {
	for _, o := range s.proxies.Outbounds(s.Dataplane).All {
		if o.Port == s.Destination && o.Address.IsValid() {
			return o.Address.String()
		}
	}
	return ""
}

func (s *sending) explainRoute() {
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
}

// explainBackend describes proxies with equal settings once.
func (s *sending) explainBackend(b Backend) {
	to := b.Name
	if b.Port.Number != 0 {
		to += fmt.Sprintf(", port %d", b.Port.Number)
	}
	s.say("%s to %s: %s", percentText(b.Share), to, b.Verdict.Words())
	if b.Proxies == nil && b.Verdict != s.Verdict { // the verdict does not give the reason
		s.say("  %s", b.Reason)
	}
	if times := b.Timeouts.String(); times != "" {
		s.say("  timeouts of connections: %s", times)
	}
	text := func(p Proxy) string { return strings.Join(s.explainProxy(b, p), "\n") }
	for _, same := range phrase.Grouped(b.Proxies, text) {
		lines := s.explainProxy(b, same[0])
		s.say("  %s, %s", dataplanes(phrase.Each(same, func(p Proxy) string { return p.Dataplane })), lines[0])
		for _, line := range lines[1:] {
			s.say("    %s", line)
		}
	}
}

// dataplanes names the first of some Dataplanes.
func dataplanes(names []string) string {
	return phrase.Form(len(names), "Dataplane", "Dataplanes") + " " + phrase.Some(phrase.Quote(names), maxNames, "")
}

// explainProxy returns what a proxy of a backend does with the request.
func (s *sending) explainProxy(b Backend, p Proxy) []string {
	what := p.Verdict.Words()
	if p.Security != "" {
		what = map[Security]string{MutualTLS: "mutual TLS", Plaintext: "plaintext", Permissive: "plaintext"}[p.Security] + ", " + what
	}
	if len(p.By) > 0 {
		what += " by " + phrase.And(phrase.Each(p.By, kuma.Key.Local)...)
	}
	lines := []string{fmt.Sprintf("%s: %s", p.Inbound, what)}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if p.Because != "" {
		add("%s because %s", map[Security]string{MutualTLS: "TLS", Plaintext: "plaintext", Permissive: "plaintext"}[p.Security],
			strings.ReplaceAll(p.Because, fmt.Sprintf("Dataplane %q", p.Dataplane), "the Dataplane"))
	}
	switch {
	case p.Verdict != Allowed && p.Verdict != Denied && p.Reason != b.Reason:
		add("%s", p.Reason)
	case p.Rule.List != "":
		add("permission: %s", p.Rule)
	case p.Verdict == Denied && len(p.Consulted) == 0:
		add("permission: no MeshTrafficPermission selects the Dataplane, so it denies all clients")
	case p.Verdict == Denied && len(p.Consulted) == 1:
		add("permission: %s selects the Dataplane, but does not allow the client", p.Consulted[0].Local())
	case p.Verdict == Denied:
		add("permission: %s select the Dataplane, but none of them allows the client", phrase.And(phrase.Each(p.Consulted, kuma.Key.Local)...))
	}
	if p.Verdict != Allowed {
		return lines // the rest has no effect
	}
	if times := p.Timeouts.String(); times != "" {
		add("timeouts of incoming requests: %s", times)
	}
	return append(lines, p.lines()...)
}

// lines describes limits and faults.
func (p Protection) lines() (lines []string) {
	if p.Requests != nil {
		lines = append(lines, fmt.Sprintf("requests: at most %s", p.Requests))
	}
	if p.Connections != nil {
		lines = append(lines, fmt.Sprintf("connections: at most %s", p.Connections))
	}
	for _, f := range p.Faults {
		lines = append(lines, fmt.Sprintf("fault: %s", f))
	}
	return lines
}

// String describes the rule.
func (r Rule) String() string {
	if r.Match == "" {
		return fmt.Sprintf("from[%d]", r.Entry)
	}
	return fmt.Sprintf("rules[%d].default.%s: %s", r.Entry, r.List, r.Match)
}

// String describes retries and where their values come from.
func (r Retry) String() string {
	if len(r.On) == 0 {
		return fmt.Sprintf("%d on failures to connect (%s)", r.Attempts, r.From.Attempts)
	}
	attempts := strconv.Itoa(r.Attempts)
	if r.From.Attempts != r.From.On {
		attempts += fmt.Sprintf(" (%s)", r.From.Attempts)
	}
	parts := []sourced{{fmt.Sprintf("%s on %s", attempts, strings.Join(r.On, ", ")), r.From.On}}
	if r.PerTry > 0 {
		parts = append(parts, sourced{fmt.Sprintf("each at most %s", r.PerTry), r.From.PerTry})
	}
	base := fmt.Sprintf("backoff %s", r.Base)
	if r.From.Base != r.From.Max {
		base += fmt.Sprintf(" (%s)", r.From.Base)
	}
	return bySource(append(parts, sourced{fmt.Sprintf("%s to %s", base, r.Max), r.From.Max}))
}

// sourced is a text about a value that comes from an origin.
type sourced struct {
	text string
	from Origin
}

// bySource joins texts, and names each origin once: "connect 2s, idle 1h0m0s (MeshTimeout "a");
// request 5s (MeshTimeout "b")". Origins are in the order of their first texts.
func bySource(all []sourced) string {
	var groups []string
	for len(all) > 0 {
		from := all[0].from
		var texts []string
		all = slices.DeleteFunc(all, func(s sourced) bool {
			if s.from == from {
				texts = append(texts, s.text)
			}
			return s.from == from
		})
		groups = append(groups, fmt.Sprintf("%s (%s)", strings.Join(texts, ", "), from))
	}
	return strings.Join(groups, "; ")
}

// String describes timeouts and where they come from.
func (t Timeouts) String() string {
	var set, unset []sourced
	for _, e := range t.all() {
		text := sourced{e.name + " " + limit(e.timeout.Duration), e.timeout.Origin()}
		switch {
		case e.timeout.By != kuma.Key{}:
			set = append(set, text)
		case e.timeout.Duration > 0 || e.name == requestName:
			unset = append(unset, text)
		}
	}
	return bySource(append(set, unset...))
}

// requestName is the name of the timeout whose absence is worth a mention.
const requestName = "request"

// namedTimeout is a timeout with its name for people and the path of the setting.
type namedTimeout struct {
	name, path string
	timeout    *Timeout
}

// all returns the timeouts that exist.
func (t Timeouts) all() []namedTimeout {
	return slices.DeleteFunc([]namedTimeout{
		{"connect", connectionTimeout, t.Connect},
		{requestName, requestTimeout, t.Request},
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

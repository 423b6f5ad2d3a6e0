package impact

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Limits of the requests that are compared. The time for each of them grows with the square of
// the resources: 5 ms with 1,400, and half a second with 12,000.
const maxRequests, minRequests, maxRequestResources = 200, 8, 35_000

// requestLimit returns how many requests are compared.
func (c *comparison) requestLimit() int {
	resources := max(1, len(c.after.Resources(c.after.mesh)))
	return max(minRequests, min(maxRequests, maxRequestResources*maxRequestResources/(resources*resources)))
}

// RequestChange is requests that go to other destinations after the change, or that are
// answered differently. Who may call a service is a change of access instead.
type RequestChange struct {
	Clients       []string // dataplanes, sorted
	Port          rules.Port
	Requests      []string // such as "GET /v2"; "connections" for a port that is not HTTP
	Before, After []Outcome
}

// takesChanged reports whether a change is of a route that can take requests which change: the
// values of routes do not show which one of several with equal matches does.
func (c *comparison) takesChanged(p PolicyChange, changed []RequestChange) bool {
	if !rules.IsRoute(p.Type) {
		return false
	}
	key := kuma.Key{Type: p.Type, Mesh: c.after.mesh, Name: p.Name}
	for _, s := range []*snapshot{c.before, c.after} {
		route := s.Resource(key)
		if route == nil {
			continue
		}
		for _, ref := range route.ToRefs() {
			targets := s.Resolve(*route, ref, 0)
			for _, r := range changed {
				to := r.Port.Resource
				if ref.Kind == kuma.KindMesh || to.Type == "" && to.Name == ref.Name ||
					slices.ContainsFunc(targets, func(t rules.Target) bool { return s.Resource(t.Resource).ID() == to }) {
					return true
				}
			}
		}
	}
	return false
}

// callers are clients for which the same routes apply to a port, on both sides.
type callers struct {
	port    rules.Port
	names   []string
	samples []sample
	host    string // of an outbound by tags or of a gateway; empty for a service
}

// requests compares a request for each match of the routes of a service, if the service or one of its
// routes differs. It also returns the number of requests that are too many.
func (c *comparison) requests(dataplanes []string) (changes []RequestChange, omitted int) {
	if !c.before.exists() || !c.after.exists() || !slices.Contains(c.types, kuma.KindMeshHTTPRoute) {
		return nil, 0
	}
	type question struct {
		callers
		sample
	}
	var questions []question
	routes := c.affectedRoutes()
	for _, g := range slices.Concat(c.callers(dataplanes, routes), c.taggedCallers(dataplanes, routes), c.gatewayCallers(dataplanes)) {
		for _, s := range g.samples {
			questions = append(questions, question{g, s})
		}
	}
	omitted = max(0, len(questions)-c.requestLimit())
	questions = questions[:len(questions)-omitted]
	found := make([][]RequestChange, len(questions))
	inParallel(len(questions), func(i int) {
		q := questions[i]
		change, verdicts := c.compareRequest(q.callers, q.sample)
		if !verdicts || len(q.names) == 1 {
			found[i] = change
			return
		}
		for _, names := range c.byCertificate(q.names) { // permissions decide by the certificate of the client
			q.names = names
			change, _ := c.compareRequest(q.callers, q.sample)
			found[i] = append(found[i], change...)
		}
	})
	for i, all := range found {
		for _, change := range all {
			changes = addRequest(changes, change, questions[i].isRest())
		}
	}
	return withAllClients(changes), omitted
}

// compareRequest compares a request of callers, and reports whether verdicts are among its outcomes.
func (c *comparison) compareRequest(q callers, s sample) (change []RequestChange, verdicts bool) {
	r := s.request(c.before.mesh, q.names[0], q.port)
	if q.host != "" {
		r.Service = request.Service{Host: q.host, Port: q.port.Number}
	}
	before, after := c.before.answer(r), c.after.answer(r)
	verdicts = comparesVerdicts(slices.Concat(before.Backends, after.Backends))
	was, is := c.before.outcomesOf(before, r, q.port, verdicts), c.after.outcomesOf(after, r, q.port, verdicts)
	if canBeEqual(was, is) || canBeEqual(is, was) {
		return nil, verdicts
	}
	wasBy, isBy := handlingOf(before), handlingOf(after)
	otherSettings := wasBy.route != isBy.route && wasBy.settings != isBy.settings || wasBy.hasOtherDefaults(isBy)
	if was, is := protocolOf(before), protocolOf(after); q.isByTag() && was != is { // of an outbound that no longer has tags
		wasBy.settings, isBy.settings, otherSettings = "protocol "+was+", "+wasBy.settings, "protocol "+is+", "+isBy.settings, true
	}
	if otherSettings && DescribeOutcomes(was) == DescribeOutcomes(is) {
		was, is = wasBy.describe(was), isBy.describe(is)
	}
	if was != nil && is != nil && DescribeOutcomes(was) != DescribeOutcomes(is) {
		change = []RequestChange{{q.names, q.port, []string{s.String(q.port)}, was, is}}
	}
	return change, verdicts
}

// byCertificate divides clients into those with equal names in their certificates, on both sides.
func (c *comparison) byCertificate(clients []string) [][]string {
	return phrase.Grouped(clients, func(name string) string {
		return phrase.JSON([][]string{c.before.proxies.Client(name).Names, c.after.proxies.Client(name).Names})
	})
}

// withAllClients unites equal changes of several groups of clients.
func withAllClients(changes []RequestChange) (out []RequestChange) {
	for _, c := range changes {
		i := slices.IndexFunc(out, func(o RequestChange) bool { return o.equal(c) && slices.Equal(o.Requests, c.Requests) })
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].Clients = phrase.Sorted(slices.Concat(out[i].Clients, c.Clients))
	}
	return out
}

// equal reports whether requests to the same port change in the same way.
func (c RequestChange) equal(other RequestChange) bool {
	return c.Port == other.Port && DescribeOutcomes(c.Before) == DescribeOutcomes(other.Before) &&
		DescribeOutcomes(c.After) == DescribeOutcomes(other.After)
}

// addRequest adds a change, together with one of the same clients that is equal. A request
// that no match describes, one of the rest, is left out if others change in the same way.
func addRequest(changes []RequestChange, c RequestChange, rest bool) []RequestChange {
	i := slices.IndexFunc(changes, func(o RequestChange) bool { return o.equal(c) && slices.Equal(o.Clients, c.Clients) })
	if i < 0 {
		return append(changes, c)
	}
	if !rest {
		changes[i].Requests = append(changes[i].Requests, c.Requests[0])
	}
	return changes
}

// handling is how a proxy treats a request: which route takes it, and what follows from that.
type handling struct {
	route    kuma.Key // the zero value for the destination itself
	settings string
	defaults map[string]time.Duration // timeouts that no policy sets
}

// hasOtherDefaults reports whether a timeout that no policy sets is another one.
func (h handling) hasOtherDefaults(o handling) bool {
	for name, is := range h.defaults {
		if other, ok := o.defaults[name]; ok && other != is {
			return true
		}
	}
	return false
}

// handlingOf returns how the proxy of the client treats a request.
func handlingOf(a request.Answer) handling {
	h := handling{defaults: map[string]time.Duration{}}
	if a.Route != nil {
		h.route = a.Route.Policy
	}
	parts := []string{"no retries"}
	if a.Retry != nil {
		parts[0] = phrase.Count(a.Retry.Attempts, "retry", "retries") + " on " + strings.Join(a.Retry.On, ", ")
	}
	for name, t := range map[string]*request.Timeout{"request timeout": a.Timeouts.Request, "idle timeout of streams": a.Timeouts.StreamIdle} {
		if t != nil {
			parts = append(parts, name+" "+t.Duration.String())
			if t.By == (kuma.Key{}) {
				h.defaults[name] = t.Duration
			}
		}
	}
	slices.Sort(parts)
	h.settings = strings.Join(parts, ", ")
	return h
}

// protocolOf returns the protocol of the destination of a request.
func protocolOf(a request.Answer) string { return cmp.Or(a.Destination.Protocol, "tcp") }

// isByTag reports whether the callers have an outbound by tags before the change.
func (c callers) isByTag() bool { return c.host != "" && c.port.Resource.Type == "" }

// describe adds the settings to the targets of outcomes.
func (h handling) describe(all []Outcome) []Outcome {
	out := slices.Clone(all)
	for i := range out {
		out[i].Target += " (" + h.settings + ")"
	}
	return out
}

// answer returns what happens to a request, nothing if that is not known.
func (s *snapshot) answer(r request.Request) request.Answer {
	answer, err := s.simulation.Send(r)
	if errors.Is(err, request.ErrUnknownService) || errors.Is(err, request.ErrUnknownPort) || errors.Is(err, request.ErrAmbiguousService) {
		return request.Answer{} // reported as a service that is removed
	}
	s.fail(err)
	return answer
}

// callers returns the groups of dataplanes whose requests to services are compared, with the ports.
func (c *comparison) callers(dataplanes []string, routes map[kuma.ID][]tree.Node) []callers {
	services := slices.SortedFunc(maps.Keys(routes), func(a, b kuma.ID) int { return cmp.Compare(kinds.KRI(a), kinds.KRI(b)) })
	type key struct {
		port     rules.Port
		matches  [4]*rules.Match
		sections [2]string // by which the proxy refers to the port
	}
	at, ports := map[key]int{}, map[kuma.ID][]rules.Port{}
	for _, service := range services {
		ports[service] = c.before.Ports(service)
	}
	var groups []callers
	for _, name := range dataplanes {
		matches := c.routeMatches(name)
		before, after := c.before.proxies.Outbounds(name), c.after.proxies.Outbounds(name)
		for _, service := range services {
			if !before.HasService(service) || !after.HasService(service) {
				continue
			}
			for _, port := range ports[service] {
				k := key{port, matches, [2]string{before.Section(service, port.Number), after.Section(service, port.Number)}}
				if i, ok := at[k]; ok {
					groups[i].names = append(groups[i].names, name)
					continue
				}
				at[k] = len(groups)
				groups = append(groups, callers{port: port, names: []string{name}, samples: samples(routes[service], port)})
			}
		}
	}
	return groups
}

// routeMatches returns the matches of a dataplane with routes on both sides.
func (c *comparison) routeMatches(dataplane string) (out [4]*rules.Match) {
	for i, kind := range rules.RouteKinds() {
		for j, s := range []*snapshot{c.before, c.after} {
			out[2*i+j] = s.Match(s.mesh, dataplane, kind)
		}
	}
	return out
}

// affectedRoutes returns the entries of routes on both sides, by the services and the values of kuma.io/service, as identifiers without
// a type, that they are for, if one of the routes or one of their backends differs. All of them are affected by another release or
// another Mesh.
func (c *comparison) affectedRoutes() map[kuma.ID][]tree.Node {
	entries, affected := map[kuma.ID][]tree.Node{}, map[kuma.ID]bool{}
	changed := map[kuma.Key]bool{}
	for _, d := range c.differences {
		changed[d.key] = d.inBody || d.operation != Changed
		if rules.IsRoute(d.key.Type) && d.operation == Changed {
			changed[d.key] = !c.sameRoute(d.key)
		}
	}
	all := c.before.Release() != c.after.Release() || changed[kuma.MeshKey(c.before.mesh)]
	for _, s := range []*snapshot{c.before, c.after} {
		for _, route := range s.Resources(s.mesh, rules.RouteKinds()...) {
			differs := all || changed[route.Key()] || s.sendsToAny(route, changed)
			to := tree.Root(route.Document()).Get("spec", "to").Items()
			for i, ref := range route.ToRefs() {
				add := func(id kuma.ID, differs bool) {
					entries[id] = append(entries[id], to[i])
					affected[id] = affected[id] || differs
				}
				if ref.Kind == kuma.KindMeshService && ref.Name != "" {
					add(kuma.ID{Mesh: s.mesh, Name: ref.Name}, differs)
				}
				for _, target := range s.Resolve(*route, ref.WithoutSection(), 0) {
					add(s.Resource(target.Resource).ID(), differs || changed[target.Resource])
				}
			}
		}
	}
	maps.DeleteFunc(entries, func(id kuma.ID, _ []tree.Node) bool { return !affected[id] })
	return entries
}

// sendsToAny reports whether a route has one of some services as a backend.
func (s *snapshot) sendsToAny(route *kuma.Resource, services map[kuma.Key]bool) bool {
	return slices.ContainsFunc(rules.BackendRefs(*route), func(b rules.BackendRef) bool {
		id, _ := s.Backend(*route, b)
		service := s.Service(id)
		return service != nil && services[service.Key()]
	})
}

// maxChangedRequests is how many sentences about requests a summary has, and how many requests
// each names.
const maxChangedRequests, maxPaths = 10, 4

// writeRequests writes what happens to requests that go elsewhere.
func (i Impact) writeRequests(b *strings.Builder) {
	if len(i.RequestsChanged) > 0 {
		b.WriteString("\n")
	}
	writeFirst(b, i.RequestsChanged, maxChangedRequests, "", "changes of requests", func(c RequestChange) string {
		return fmt.Sprintf("%s, for %s", c, phrase.Some(c.Clients, maxNames, "dataplanes"))
	})
	if i.RequestsNotCompared > 0 {
		fmt.Fprintf(b, "\n%s not compared: the change concerns too many routes.\n",
			phrase.Count(i.RequestsNotCompared, "other request was", "other requests were"))
	}
}

// String describes the change as a clause, such as "GET /v2 on checkout port 80 answers 404,
// before: checkout".
func (c RequestChange) String() string {
	subject := fmt.Sprintf("%s on %s port %d", phrase.Some(c.Requests, maxPaths, "requests"), c.Port.Resource.Name, c.Port.Number)
	switch {
	case len(c.After) == 1 && c.After[0].Answered && slices.Contains(c.Requests, connections):
		return fmt.Sprintf("%s fail, before: %s", subject, DescribeOutcomes(c.Before))
	case len(c.After) == 1 && c.After[0].Answered:
		return fmt.Sprintf("%s %s %s, before: %s", subject, phrase.Form(len(c.Requests), "answers", "answer"), c.After[0].Target,
			DescribeOutcomes(c.Before))
	case len(c.Before) == 1 && len(c.After) == 1:
		return fmt.Sprintf("%s: %s → %s", subject, c.Before[0].Target, c.After[0].Target)
	}
	targets := slices.Clone(c.Before)
	for _, o := range c.After {
		if shareOf(c.Before, o.Target).Sign() == 0 {
			targets = append(targets, o)
		}
	}
	var parts []string
	for _, o := range targets {
		before, after := percent(shareOf(c.Before, o.Target)), percent(shareOf(c.After, o.Target))
		if before != after {
			parts = append(parts, fmt.Sprintf("%s %s → %s", o.named(), before, after))
		}
	}
	return subject + ": " + strings.Join(parts, ", ")
}

// connections are what a client requests of a port that is not HTTP.
const connections = "connections"

package request

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// maxNames is how many Dataplanes a line of the explanation names.
const maxNames = 5

// sendOfService returns what happens to a request of each proxy of a service.
func (sim Simulation) sendOfService(r Request, mesh *proxy.Mesh) (Answer, error) {
	var groups []ClientAnswer
	for _, dataplane := range sim.clients(r, mesh) {
		r.Dataplane = dataplane
		answer, err := sim.send(r, mesh, mesh.Client(dataplane))
		if err != nil {
			return answer, err
		}
		i := slices.IndexFunc(groups, func(g ClientAnswer) bool { return g.equals(answer) })
		if i < 0 {
			i, groups = len(groups), append(groups, ClientAnswer{Answer: answer})
		}
		groups[i].Dataplanes = append(groups[i].Dataplanes, dataplane)
		groups[i].Explanation = slices.DeleteFunc(groups[i].Explanation,
			func(line string) bool { return !slices.Contains(answer.Explanation, line) })
	}
	switch len(groups) {
	case 0:
		return Answer{}, fmt.Errorf("%w %q", ErrUnknownClient, r.ClientService)
	case 1:
		answer := groups[0].Answer
		answer.Clients = groups
		return answer, nil
	}
	return differing(groups), nil
}

// equals reports whether two answers are the same except for the names and outbounds of the clients.
func (a Answer) equals(b Answer) bool {
	a.Explanation, b.Explanation = nil, nil
	return reflect.DeepEqual(a, b)
}

// differing is the answer if the proxies of the client get different answers.
func differing(groups []ClientAnswer) Answer {
	a := Answer{Verdict: groups[0].Verdict, Reason: "Proxies of the client get different answers.", Clients: groups}
	for _, g := range groups {
		if g.Verdict != a.Verdict {
			a.Verdict = Mixed
		}
		a.Explanation = append(a.Explanation, dataplanes(g.Dataplanes)+":")
		for _, line := range g.Explanation {
			a.Explanation = append(a.Explanation, "  "+line)
		}
		for _, what := range g.NotConsidered {
			if !slices.Contains(a.NotConsidered, what) {
				a.NotConsidered = append(a.NotConsidered, what)
			}
		}
	}
	a.Explanation = append(a.Explanation, fmt.Sprintf("Verdict: %s. %s", a.Verdict, a.Reason))
	return a
}

// clients returns the Dataplanes that provide the service of the client, in order of name.
func (sim Simulation) clients(r Request, mesh *proxy.Mesh) []string {
	services := []kuma.ID{{Mesh: r.Mesh, Name: r.ClientService}} // the service that only the tag names
	for _, s := range sim.snapshot.Resources(r.Mesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService) {
		if (Service{Name: r.ClientService}).isNamed(sim.snapshot, rules.Port{Resource: s.ID()}) {
			services = append(services, sim.snapshot.Behind(s.ID())...)
		}
	}
	return mesh.Members(services...)
}

// sender describes the client.
func (s *sending) sender() string {
	switch {
	case s.SPIFFEID != "":
		return s.SPIFFEID
	case s.ClientService != "":
		return fmt.Sprintf("service %q", s.ClientService)
	default:
		return fmt.Sprintf("Dataplane %q", s.Dataplane)
	}
}

// restOfClient lists what the answer leaves out if only the SPIFFE ID of the client is known.
func (s *sending) restOfClient() {
	s.NotConsidered = append(s.NotConsidered, "the proxy of the client: its outbounds, routes, timeouts and retries")
	if len(s.client.Names) > 1 && strings.HasPrefix(s.client.Names[1], "kuma://") {
		s.NotConsidered = append(s.NotConsidered, "tags of the client other than "+kuma.TagService)
	}
}

package access

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Verdicts on a client at a port of a service, besides those at a dataplane.
const (
	// Partly means that some of the proxies of the service accept the client.
	Partly proxy.Verdict = "partly"
	// NoEndpoint means that no proxy that is ready provides the port.
	NoEndpoint proxy.Verdict = "no endpoint"
)

// Matrix is which clients may call which services in a mesh. Clients and ports with equal answers are grouped.
type Matrix struct {
	Mesh    string
	Clients []ClientGroup // in order of name
	Rows    []Row         // in order of their first port
	Unknown []Unknown
}

// Row is who may call ports with equal answers.
type Row struct {
	Ports  []rules.Port
	Access []Access // refused and reachable first
}

// Access is an answer for clients.
type Access struct {
	Answer
	Reachable bool  // the clients have a listener for the port
	Clients   []int // positions in the matrix, ascending
}

// Answer is a [proxy.Decision] on a client at a port of a service, as plain values.
type Answer struct {
	Verdict proxy.Verdict
	Refusal proxy.Verdict // of the proxies that refuse the client if the verdict is [Partly]
	Policy  kuma.Key      // that decides; zero if none does
	Rule    int           // index in the list of the policy
	List    string
	Match   string // what the list says about the client
	Reason  string // a clause about the client or the port: "no permission allows it"
	// Plaintext is whether a proxy of the service accepts the client, which does not speak TLS to it.
	Plaintext bool
}

// Filter selects clients and services by name: of a service, or of a dataplane for clients.
// Empty lists select all.
type Filter struct{ From, To []string }

// Of returns which clients of a mesh may call which services. It fails as [rules.Snapshot.Rules]
// does.
func Of(m *proxy.Mesh, f Filter) (Matrix, error) {
	b := matrixBuilder{
		Mesh: m, simulation: request.New(m.Snapshot()), frozen: map[string]error{}, servers: map[proxy.Server]int{},
		known: map[string][]int{}, numbers: map[Answer]int{}, rows: map[[sha256.Size]byte]int{},
	}
	b.findFrozen()
	out := Matrix{Mesh: m.Name(), Clients: b.clientGroups(f.From)}
	b.out, b.classes = &out, classesOf(out.Clients)
	for _, s := range m.Services() {
		if len(f.To) > 0 && !slices.Contains(f.To, s.ID.Name) {
			continue
		}
		for _, p := range s.Ports {
			if b.add(s, p); b.failed != nil {
				return out, b.failed
			}
		}
	}
	out.Unknown = unknown(m, f, out.Clients)
	return out, b.failed
}

// fail keeps the first error. After one, the matrix means nothing.
func (b *matrixBuilder) fail(err error) { b.failed = cmp.Or(b.failed, err) }

// findFrozen finds why proxies get no configuration.
func (b *matrixBuilder) findFrozen() {
	for _, dataplane := range b.Dataplanes() {
		frozen, err := b.simulation.Frozen(b.Name(), dataplane)
		b.fail(err)
		if frozen != nil {
			b.frozen[dataplane] = fmt.Errorf("the control plane cannot generate the configuration of Dataplane %q, because %s", dataplane,
				frozen.Reason)
		}
	}
}

// Unknown is a name of a [Filter] that selects nothing.
type Unknown struct {
	Client     bool // it is in From
	Name       string
	Suggestion string // a sentence with a leading space, empty when no name is close
}

func unknown(m *proxy.Mesh, f Filter, selected []ClientGroup) []Unknown {
	var services []string
	for _, s := range m.Services() {
		services = append(services, s.ID.Name)
	}
	var unknown []Unknown
	for _, name := range f.To {
		if !slices.Contains(services, name) {
			unknown = append(unknown, Unknown{Name: name, Suggestion: phrase.Suggest(name, services)})
		}
	}
	for _, name := range f.From {
		if !slices.ContainsFunc(selected, func(g ClientGroup) bool {
			return slices.Contains(g.Services, name) || slices.Contains(g.Dataplanes, name)
		}) {
			unknown = append(unknown, Unknown{Client: true, Name: name, Suggestion: phrase.Suggest(name, slices.Concat(services, m.Dataplanes()))})
		}
	}
	return unknown
}

// matrixBuilder decides once for equal clients at equal ports.
type matrixBuilder struct {
	*proxy.Mesh
	simulation request.Simulation
	frozen     map[string]error // by Dataplane
	failed     error
	out        *Matrix
	classes    []proxy.Client
	servers    map[proxy.Server]int // numbers
	known      map[string][]int
	answers    []Answer // each once
	numbers    map[Answer]int
	rows       map[[sha256.Size]byte]int
}

func (b *matrixBuilder) add(s *proxy.Service, p proxy.ServicePort) {
	port := rules.Port{Resource: s.ID, Section: p.Name, Number: p.Number}
	byZone, byTags := map[string][]int{}, map[string]tagged{}
	cells := make([]byte, 0, 4*len(b.out.Clients)) // numbers of answers, and whether the port is reachable
	for _, g := range b.out.Clients {
		answers, ok := byZone[g.Zone]
		if !ok {
			answers = b.answersIn(g.Zone, s, port, p)
			byZone[g.Zone] = answers
		}
		number, reachable, routed := answers[g.class], s.ID.Type != "" && g.outbounds.Reaches(s.ID, p.Number), g.routed[0]
		contested := g.outbounds.IsContested(s.ID, p.Number)
		if s.Tag != "" && (!reachable || routed != nil) && g.outbounds.HasTag(s.Tag) {
			sets := g.outbounds.ByTags(s.Tag)
			key := g.Zone // of the usual case, an outbound by this tag alone
			if len(sets) > 1 || len(sets[0]) > 1 {
				key = fmt.Sprint(key, sets)
			}
			called, ok := byTags[key]
			if !ok {
				called = b.tagged(g.Zone, s, p, sets)
				byTags[key] = called
			}
			if called.reachable {
				contested = g.outbounds.IsContested(kuma.ID{Mesh: s.ID.Mesh, Name: s.Tag}, 0)
				reachable, routed = true, g.routed[1]
				if !g.untagged[s.Tag] {
					number = called.answers[g.class]
				}
			}
		}
		if a, ok := g.misnamed[s.ID]; ok && reachable && b.answers[number].Verdict != NoEndpoint {
			number = b.number(a)
		}
		if reachable && routed != nil {
			number = b.undecided(routed.Error())
		}
		if by := b.Unlabeled(g.Zone, s.ID); reachable &&
			(by&proxy.ByDataplane != 0 || by&proxy.BySelector != 0 && !g.outbounds.Has(s.ID, p.Number)) {
			number = b.undecided("only the control plane of the zone knows whether its service has the label " + kuma.LabelDisplayName)
		}
		if reachable && g.outbounds.MayReach(s.ID, p.Number) {
			number = b.undecided("the Dataplane of the client refers to several services at once, of which the control plane uses one")
		}
		if reachable && contested {
			number = b.undecided("two outbounds of the Dataplane of the client have the same address and port, and its proxy has a listener for " +
				"one of them")
		}
		cell := uint32(2 * number) //nolint:gosec // not negative
		if reachable {
			cell++
		}
		cells = binary.LittleEndian.AppendUint32(cells, cell)
	}
	key := sha256.Sum256(cells)
	n, ok := b.rows[key]
	if !ok {
		n = len(b.out.Rows)
		b.rows[key] = n
		b.out.Rows = append(b.out.Rows, Row{Access: b.accessOf(cells)})
	}
	b.out.Rows[n].Ports = append(b.out.Rows[n].Ports, port)
}

// answersIn returns what clients of a zone get at a port of a service.
func (b *matrixBuilder) answersIn(zone string, s *proxy.Service, port rules.Port, p proxy.ServicePort) []int {
	if s.ID.Type == kuma.KindMeshExternalService {
		return b.atEgress(zone, port, p)
	}
	return b.answersFor(port, p, b.Entered(zone, p.Endpoints, s.ID.Type == ""))
}

// atEgress returns what clients get at the zone egresses of their zone.
func (b *matrixBuilder) atEgress(zone string, port rules.Port, p proxy.ServicePort) []int {
	p.Endpoints = slices.DeleteFunc(slices.Clone(p.Endpoints), func(e proxy.Endpoint) bool { return !e.ServesZone(zone) })
	if len(p.Endpoints) > 0 {
		return b.answersFor(port, p, p.Endpoints)
	}
	none := Answer{Verdict: NoEndpoint, Reason: "there is no zone egress"}
	if older := b.Snapshot().Resources("", kinds.ZoneEgress.Name); len(older) > 0 {
		none.Verdict = proxy.Undecided
		none.Reason = fmt.Sprintf("requests leave through ZoneEgress %q, which is not evaluated", older[0].Name)
	}
	return slices.Repeat([]int{b.number(none)}, len(b.classes))
}

// tagged is what clients with outbounds by the same tags get at a port.
type tagged struct {
	reachable bool
	answers   []int // for each class
}

// tagged returns what clients with outbounds by sets of tags get at a port of a service. They do
// not ask for the resource, and reach the proxies with the tags: not the port, if these do not
// provide it.
func (b *matrixBuilder) tagged(zone string, s *proxy.Service, p proxy.ServicePort, sets []map[string]string) tagged {
	has := func(e proxy.Endpoint) bool { return slices.ContainsFunc(sets, e.HasTags) }
	p.Endpoints = slices.DeleteFunc(slices.Clone(p.Endpoints), func(e proxy.Endpoint) bool { return !has(e) })
	answers := b.answersFor(rules.Port{Resource: kuma.ID{Mesh: s.ID.Mesh, Name: s.Tag}}, p, b.Entered(zone, p.Endpoints, true))
	return tagged{len(p.Endpoints) > 0 || !slices.ContainsFunc(sets, b.Provides), answers}
}

// accessOf groups the clients by their answers.
func (b *matrixBuilder) accessOf(cells []byte) []Access {
	of := func(client int) uint32 { return binary.LittleEndian.Uint32(cells[4*client:]) }
	var clients []int
	for i := range b.out.Clients {
		clients = append(clients, i)
	}
	access := phrase.Each(phrase.Grouped(clients, of), func(same []int) Access {
		return Access{Answer: b.answers[of(same[0])/2], Reachable: of(same[0])%2 == 1, Clients: same}
	})
	slices.SortStableFunc(access, func(a, b Access) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Clients[0], b.Clients[0]))
	})
	return access
}

// rank sorts what does not work as expected before what does, and what does not matter last.
func (a Access) rank() int {
	switch {
	case a.Reachable && !a.Verdict.Connects():
		return 0
	case a.Reachable:
		return 1
	case a.Verdict.Connects():
		return 2
	default:
		return 3
	}
}

// answersFor returns the number of the answer for each class of clients at a port, if their requests get to some of its endpoints.
func (b *matrixBuilder) answersFor(port rules.Port, p proxy.ServicePort, entered []proxy.Endpoint) []int {
	var servers []proxy.Server
	var numbers []int
	for _, e := range entered {
		s, err := b.Server(proxy.Target{Service: port, Dataplane: e.Dataplane, Port: e.Port, Address: e.Inbound})
		if b.fail(err); err != nil {
			break
		}
		s = s.BrokenBy(b.frozen[e.Dataplane])
		n, ok := b.servers[s]
		if !ok {
			n = len(b.servers)
			b.servers[s] = n
		}
		if !slices.Contains(numbers, n) {
			servers, numbers = append(servers, s), append(numbers, n)
		}
	}
	if len(servers) == 0 {
		return slices.Repeat([]int{b.number(b.withoutEndpoint(port, len(p.Endpoints) > 0))}, len(b.classes))
	}
	key := fmt.Sprint(numbers)
	if known, ok := b.known[key]; ok {
		return known
	}
	answers := make([]int, len(b.classes))
	for i, c := range b.classes {
		answers[i] = b.number(answerOf(c, servers))
	}
	b.known[key] = answers
	return answers
}

// withoutEndpoint is the answer at a port that no known Dataplane provides, or that is provided only in zones that the requests do not
// enter.
func (b *matrixBuilder) withoutEndpoint(port rules.Port, provided bool) Answer {
	const unseen = ", and a zone control plane does not have the Dataplanes of other zones"
	service := b.Snapshot().Service(port.Resource)
	switch {
	case provided:
		return Answer{Verdict: NoEndpoint, Reason: "only proxies of another zone provide the port, and " + b.Separation(port.Resource.Type == "")}
	case service != nil && rules.IsElsewhere(*service) && b.LeavesZone():
		return Answer{Verdict: proxy.Undecided, Reason: fmt.Sprintf("proxies of zone %q provide the port", service.Zone()) + unseen}
	case service == nil && b.InOtherZones(port.Resource.Name):
		return Answer{Verdict: proxy.Undecided, Reason: "proxies of other zones may provide the port" + unseen}
	default:
		return Answer{Verdict: NoEndpoint, Reason: "no ready proxy provides the port"}
	}
}

// number returns the number of an answer.
func (b *matrixBuilder) number(a Answer) int {
	n, ok := b.numbers[a]
	if !ok {
		n = len(b.answers)
		b.numbers[a], b.answers = n, append(b.answers, a)
	}
	return n
}

// undecided returns the number of the answer that it is not known whether clients can connect.
func (b *matrixBuilder) undecided(reason string) int {
	return b.number(Answer{Verdict: proxy.Undecided, Reason: reason})
}

// answerOf combines the decisions of the proxies of a port. If some refuse the client, it
// describes one of them.
func answerOf(c proxy.Client, servers []proxy.Server) Answer {
	var accepted, refused *proxy.Decision
	plaintext := false
	for _, s := range servers {
		d := s.Decide(c)
		plaintext = plaintext || d.Verdict.Connects() && !d.TLS
		switch {
		case d.Verdict.Connects() && accepted == nil:
			accepted = &d
		case !d.Verdict.Connects() && refused == nil:
			refused = &d
		}
	}
	var a Answer
	switch {
	case refused == nil:
		a = answer(*accepted)
	case accepted == nil:
		a = answer(*refused)
	default:
		a = answer(*refused)
		a.Refusal, a.Verdict = a.Verdict, Partly
		about := "some of its proxies refuse it: "
		if a.isUnknown() {
			about = "some of its proxies accept it, and others are not known to: "
		}
		a.Reason = about + a.Reason
	}
	a.Plaintext = plaintext
	return a
}

// answer returns the decision as plain values.
func answer(d proxy.Decision) Answer {
	a := Answer{Verdict: d.Verdict, Policy: d.By.Policy, Rule: d.By.Index, List: d.List, Match: d.Match, Reason: d.Reason()}
	if d.ByDefault() {
		a.Rule = 0
	}
	return a
}

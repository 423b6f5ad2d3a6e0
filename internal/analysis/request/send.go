package request

import (
	"cmp"
	"fmt"
	"math/big"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Simulation answers requests in a snapshot. It may be used by several goroutines.
type Simulation struct {
	Behavior

	snapshot *rules.Snapshot
	prepared *prepared
}

// New returns a simulation with the behavior of the release of a snapshot.
func New(s *rules.Snapshot) Simulation {
	return Simulation{BehaviorOf(s.Release()), s, &prepared{meshes: map[string]*access.Mesh{}, broken: map[kuma.Key]string{}}}
}

// prepared is what is computed once for all requests.
type prepared struct {
	sync.Mutex

	meshes map[string]*access.Mesh // decisions about clients
	broken map[kuma.Key]string     // by Dataplane
}

// mesh returns the decisions in a mesh.
func (p *prepared) mesh(s *rules.Snapshot, name string) (*access.Mesh, error) {
	p.Lock()
	defer p.Unlock()
	if found, ok := p.meshes[name]; ok {
		return found, nil
	}
	found, err := access.NewMesh(s, name)
	if err == nil {
		p.meshes[name] = found
	}
	return found, err
}

// sending is a request on its way.
type sending struct {
	Request
	Answer
	Behavior

	snapshot *rules.Snapshot
	prepared *prepared
	access   *access.Mesh
	client   access.Client
	section  string // of the destination in the outbound: the number of a port that is referred to by number
	routed   bool   // an HTTP route applies to the destination
	read     map[question]rules.PolicyRules
	routes   map[string]*httpRules // to the destination, by kind
}

// question is about the policies of a kind for a proxy.
type question struct{ kind, dataplane string }

// policies returns the rules of a kind for a proxy, which are not merged.
func (s *sending) policies(kind, dataplane string) (rules.PolicyRules, error) {
	q := question{kind, dataplane}
	if found, ok := s.read[q]; ok {
		return found, nil
	}
	found, err := s.snapshot.Outline(s.Mesh, dataplane, kind)
	if err == nil {
		s.read[q] = found
	}
	return found, err
}

// Send returns what happens to a request. The error is [ErrUnknownService], [ErrUnknownPort],
// [ErrAmbiguousService], [ErrInvalidPath], [ErrInvalidMethod], [ErrUnknownClient] or [ErrInvalidSPIFFEID], or one
// of package rules.
func (sim Simulation) Send(r Request) (Answer, error) {
	r.Method, r.Path, r.Host = cmp.Or(r.Method, "GET"), cmp.Or(r.Path, "/"), cmp.Or(r.Host, r.Service.Host, r.Service.Name)
	if r.Service.Host != "" {
		r.Service.Port = cmp.Or(r.Service.Port, portHTTP)
	}
	if !strings.HasPrefix(r.Path, "/") || strings.ContainsAny(r.Path, "?#") {
		return Answer{}, fmt.Errorf("%w %q: it must begin with a slash and not contain a query", ErrInvalidPath, r.Path)
	}
	if upper := strings.ToUpper(r.Method); upper != r.Method {
		return Answer{}, fmt.Errorf("%w %q: methods are case-sensitive, use %q", ErrInvalidMethod, r.Method, upper)
	}
	mesh, err := sim.prepared.mesh(sim.snapshot, r.Mesh)
	switch {
	case err != nil:
		return Answer{}, err
	case r.SPIFFEID != "":
		return sim.sendWith(r, mesh)
	case r.ClientService != "":
		return sim.sendOfService(r, mesh)
	default:
		return sim.send(r, mesh, mesh.Client(r.Dataplane))
	}
}

// send returns what happens to a request of one client.
func (sim Simulation) send(r Request, mesh *access.Mesh, client access.Client) (Answer, error) {
	s := &sending{Request: r, Behavior: sim.Behavior, snapshot: sim.snapshot, prepared: sim.prepared, access: mesh, client: client, read: map[question]rules.PolicyRules{}}
	if s.isBuiltinGateway() {
		s.unknown("Dataplane %q is a builtin gateway: it takes requests for the host names of a MeshGateway and its routes, which are not evaluated.", r.Dataplane)
		s.explain()
		return s.Answer, nil
	}
	reached, err := s.reach()
	if err == nil && reached {
		err = s.follow()
	}
	if err == nil {
		s.explain()
	}
	return s.Answer, err
}

// follow sends the request to the port of the service.
func (s *sending) follow() error {
	if s.SPIFFEID != "" {
		return cmp.Or(s.forward(s.itself(), rules.Destination{}), s.findNotConsidered())
	}
	if err := s.client.Broken; err != nil {
		s.unknown("The proxy of the client gets no configuration: %s.", err)
		return nil
	}
	broken, err := s.brokenOnce()
	switch {
	case err != nil:
		return err
	case broken != "":
		s.unknown("%s", broken)
		return nil
	case s.isHTTP():
		err = s.http()
	default:
		err = s.tcp()
	}
	if err != nil {
		return err
	}
	return s.findNotConsidered()
}

func (s *sending) unknown(format string, args ...any) {
	s.Verdict, s.Reason = Unknown, fmt.Sprintf(format, args...)
}

// reach finds the port of the service, and reports whether the proxy has an outbound to it.
func (s *sending) reach() (bool, error) {
	if s.Service.Host != "" {
		return s.dial()
	}
	ports, err := s.ports()
	if err != nil {
		return false, err
	}
	found := slices.DeleteFunc(slices.Clone(ports), func(p rules.Port) bool { return !s.Service.isNamed(s.snapshot, p) })
	if len(found) == 0 {
		if err := s.exists(); err != nil {
			return false, err
		}
		s.Verdict, s.Reason = Unreachable, fmt.Sprintf("The proxy of the client has no outbound to %s.", s.Service)
		return false, nil
	}
	if len(found) > 1 {
		return false, fmt.Errorf("%w: %s is %s", ErrAmbiguousService, s.Service, names(found))
	}
	s.call(found[0])
	return true, nil
}

// call makes a port the destination.
func (s *sending) call(p rules.Port) {
	s.Destination, s.section, s.routes = p, p.Section, map[string]*httpRules{}
	if s.SPIFFEID != "" {
		return
	}
	for _, o := range rules.Outbounds(*s.proxy()) {
		if o.Path[1] == "outbound" && o.Port == p.Number {
			s.section = strconv.Itoa(o.Port)
		}
	}
}

// proxy returns the Dataplane of the client.
func (s *sending) proxy() *kuma.Resource {
	return s.snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: s.Mesh, Name: s.Dataplane})
}

// isBuiltinGateway reports whether the client is a gateway that sends on what it receives.
func (s *sending) isBuiltinGateway() bool {
	if s.SPIFFEID != "" || s.proxy() == nil || s.snapshot.Release().Kuma3() {
		return false
	}
	return text(tree.Root(s.proxy().Body).Get("networking", "gateway", "type")) == "BUILTIN"
}

// ports returns the ports that the client reaches: all if its proxy is not known.
func (s *sending) ports() ([]rules.Port, error) {
	if s.SPIFFEID == "" {
		return s.snapshot.Reachable(s.Mesh, s.Dataplane)
	}
	var ports []rules.Port
	for _, r := range s.snapshot.Resources(s.Mesh, rules.DestinationKinds()...) {
		ports = append(ports, s.snapshot.Ports(r.ID())...)
	}
	return ports, nil
}

// exists returns an error if there is no such service or port.
func (s *sending) exists() error {
	const most = 10 // of what the error names
	named := false
	var names []string
	var known []string // ports
	for _, kind := range rules.DestinationKinds() {
		for _, r := range s.snapshot.Resources(s.Mesh, kind) {
			names = append(names, r.DisplayName())
			of := s.Service
			if of.Port = 0; !of.isNamed(s.snapshot, rules.Port{Resource: r.ID()}) {
				continue
			}
			named = true
			for _, p := range s.snapshot.Ports(r.ID()) {
				known = append(known, fmt.Sprint(p.Number))
			}
			if s.Service.Port == 0 || slices.ContainsFunc(s.snapshot.Ports(r.ID()), func(p rules.Port) bool { return p.Number == s.Service.Port }) {
				return nil
			}
		}
	}
	if named {
		slices.Sort(known)
		return fmt.Errorf("%w %d of %s; its ports: %s", ErrUnknownPort, s.Service.Port, s.Service.Name, phrase.Some(slices.Compact(known), most, ""))
	}
	if len(names) == 0 {
		return fmt.Errorf("%w %q: the mesh has no services", ErrUnknownService, s.Service.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return fmt.Errorf("%w %q; services of the mesh: %s.%s", ErrUnknownService, s.Service.Name, phrase.Some(names, most, ""), phrase.Suggest(s.Service.Name, names))
}

// isNamed reports whether a port is the one of the service.
func (d Service) isNamed(s *rules.Snapshot, p rules.Port) bool {
	if d.Port != 0 && d.Port != p.Number || d.Kind != "" && d.Kind != p.Resource.Type {
		return false
	}
	if strings.HasPrefix(d.Name, "kri_") {
		return d.Name == kinds.KRI(p.Resource)
	}
	r := s.Service(p.Resource)
	return d.Name == p.Resource.Name || r != nil && d.Name == r.Name
}

// portHTTP is the port of a host, unless another is given.
const portHTTP = 80

// String names the service.
func (d Service) String() string {
	if d.Host != "" {
		return net.JoinHostPort(d.Host, strconv.Itoa(d.Port))
	}
	text := fmt.Sprintf("%s %q", cmp.Or(d.Kind, "service"), d.Name)
	if d.Port != 0 {
		text += fmt.Sprintf(", port %d", d.Port)
	}
	return text
}

func names(ports []rules.Port) string {
	var out []string
	for _, p := range ports {
		out = append(out, kinds.KRI(p.Resource)+p.Section)
	}
	return strings.Join(out, ", ")
}

func (s *sending) destination() rules.Destination {
	return rules.Destination{Resource: s.Destination.Resource, Section: s.section}
}

// Protocols of ports.
const (
	protocolHTTP = "http"
	protocolGRPC = "grpc"
)

func isHTTP(protocol string) bool { return kuma.IsHTTP(protocol) }

// isHTTP reports whether the proxy of the client handles requests (matching.md §17.1): a
// MeshTCPRoute makes an HTTP port without a MeshHTTPRoute a TCP port, unless none of the
// services to which it refers exists.
func (s *sending) isHTTP() bool {
	http, err := s.routesTo(kuma.KindMeshHTTPRoute)
	route, targets, _ := s.tcpRoute()
	missing := route != nil && !slices.ContainsFunc(targets, func(t target) bool { return t.exists })
	if !isHTTP(s.Destination.Protocol) {
		return http != nil && missing
	}
	return http != nil || route == nil || missing || err != nil
}

func (s *sending) http() error {
	s.Path = normalized(s.Path)
	t, err := s.route()
	if err != nil {
		return err
	}
	switch {
	case t != nil:
		s.Route = &t.Route
		return s.take(*t)
	case s.routed && (s.RestFails || s.hasRest()): // a rule for the rest that the proxy does not have replaces the default one
		s.Verdict, s.Reason = NoRoute, "No rule of the routes to the service matches: the proxy of the client answers with 404."
		return nil
	default:
		s.Forwarded = Forwarded{Host: s.Host, Path: s.Path, Headers: s.Headers}
		return s.forward(s.itself(), rules.Destination{})
	}
}

// take applies the rule that takes the request.
func (s *sending) take(t taken) error {
	s.Forwarded = s.filter(t)
	if s.Redirect != nil {
		s.Verdict = Redirected
		return nil
	}
	route := s.snapshot.Resource(t.Policy)
	if route == nil {
		return s.forward(s.targets(t), rules.Destination{})
	}
	return s.forward(s.targets(t), rules.Destination{Route: route.ID()})
}

func (s *sending) tcp() error {
	s.Forwarded = Forwarded{Host: s.Host, Path: s.Path, Headers: s.Headers}
	route, targets, err := s.tcpRoute()
	if err != nil {
		return err
	}
	s.Route = route
	if route == nil {
		targets = s.itself()
	}
	if targets = slices.DeleteFunc(sharing(targets), func(t target) bool { return !t.resolved }); len(targets) == 0 {
		s.Verdict, s.Reason = NoHealthy, "No backend of the MeshTCPRoute exists and has a weight: the proxy of the client does not accept the connection."
		return nil
	}
	return s.forward(targets, rules.Destination{})
}

// tcpRoute returns the MeshTCPRoute for the destination, nil if there is none, and its backends.
func (s *sending) tcpRoute() (*Route, []target, error) {
	routes, err := s.routesTo(kuma.KindMeshTCPRoute)
	if err != nil || routes == nil {
		return nil, nil, err
	}
	refs := tree.Root(routes.conf).Get("default", "backendRefs")
	if !refs.Filled() {
		return nil, nil, nil
	}
	var route Route
	for e := range routes.found.Resource.Entries() {
		route = Route{Policy: e.Policy, Entry: e.Index}
	}
	return &route, s.resolve(refs, s.snapshot.Resource(route.Policy), false), nil
}

// forward sends the request to its targets, with the settings for a route.
func (s *sending) forward(targets []target, route rules.Destination) error {
	if s.SPIFFEID == "" {
		if err := s.settings(route); err != nil {
			return err
		}
	}
	for _, t := range shared(targets) {
		b := Backend{Port: t.port, Name: t.name, Share: t.share, Verdict: Failed, Reason: "The backend does not exist: the proxy of the client answers with 500."}
		if t.resolved {
			if err := s.arrive(&b, t.section); err != nil {
				return err
			}
		}
		s.Backends = append(s.Backends, b)
	}
	s.Verdict, s.Reason = s.Backends[0].Verdict, s.Backends[0].Reason
	if slices.ContainsFunc(s.Backends, func(b Backend) bool { return b.Verdict != s.Verdict }) {
		s.Verdict, s.Reason = Mixed, "Backends differ."
	}
	return nil
}

// target is a backend with its weight.
type target struct {
	port     rules.Port
	section  string // by which settings are looked up (matching.md §17.5)
	name     string
	exists   bool // the service exists
	resolved bool // the port exists too, and has a protocol that the route can use
	weight   int64
	share    *big.Rat
}

// itself is the destination as the only target.
func (s *sending) itself() []target {
	return []target{{port: s.Destination, section: s.section, name: s.Destination.Resource.Name, exists: true, resolved: true, weight: 1}}
}

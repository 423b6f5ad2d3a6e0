package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Mesh decides for the proxies of one mesh. It may be used by several goroutines.
type Mesh struct {
	snapshot      *rules.Snapshot
	name          string
	mutualTLS     bool // the mesh issues certificates
	permissive    bool // unless a MeshTLS decides it, for proxies with certificates of the mesh
	clients       map[string]Client
	services      []*Service
	serviceByID   map[kuma.ID]*Service
	providers     providers             // by kuma.io/service, as a tag or a label
	mode          string                // of the MeshServices of the mesh
	servicesByTag map[string][]kuma.ID  // by [Service.Tag]
	older         *OlderError           // about the permissions of older kinds, nil if there are none
	passOn        bool                  // TrafficRoutes change nothing for outbounds by tags
	otherZones    bool                  // proxies whose Dataplanes are not known may provide services by tags
	entrances     map[string]entrance   // by zone
	exits         map[string]bool       // zones with a ZoneEgress, nil if requests by tags do not need one
	tagsPrefer    bool                  // requests by tags go to the own zone first
	zones         []string              // of the Dataplanes, and an empty name
	unlabeled     map[inZone]References // see [Mesh.Unlabeled]
	// ingresses has the tags of the services behind the zone ingresses of other zones, by zone.
	ingresses map[string][]map[string]string

	mutex   sync.Mutex // guards the caches below
	matches map[*rules.Match][]inbound
	modes   map[*rules.Match]map[int]string

	outbounds  map[string]*Outbounds
	everything map[everything]*Outbounds // of proxies whose Dataplanes list nothing
}

// inbound decides on clients that connect to a port.
type inbound struct {
	rules.Inbound
	*permission
}

// Kinds returns the kinds that a snapshot must contain: the kinds of package rules, what proxies trust, and how they reach other zones.
func Kinds() []def.Kind {
	return append(rules.Kinds(), kinds.MeshTrust, kinds.ZoneIngress, kinds.ZoneEgress, kinds.MeshZoneAddress)
}

// New prepares the decisions for a mesh. The error wraps [rules.ErrUnknownMesh].
func New(s *rules.Snapshot, name string) (*Mesh, error) {
	mesh := s.Resource(kuma.MeshKey(name))
	if mesh == nil {
		return nil, fmt.Errorf("%w %q", rules.ErrUnknownMesh, name)
	}
	m := &Mesh{
		snapshot: s, name: name, clients: map[string]Client{}, servicesByTag: map[string][]kuma.ID{}, serviceByID: map[kuma.ID]*Service{},
		matches: map[*rules.Match][]inbound{}, modes: map[*rules.Match]map[int]string{}, outbounds: map[string]*Outbounds{},
		everything: map[everything]*Outbounds{},
	}
	m.mutualTLS = !s.Release().Kuma3() && kinds.MutualTLS(*mesh)
	m.permissive = m.mutualTLS && kinds.PermissiveTLS(*mesh)
	if ofGlobal := mesh.Labels[kuma.LabelOrigin] == kuma.OriginGlobal; ofGlobal {
		m.otherZones, m.ingresses = m.mutualTLS, m.readIngresses()
	}
	m.readZones(mesh)
	m.readUnlabeled()
	m.mode, _ = tree.Root(mesh.Body).Get("meshServices", "mode").Text()
	m.passOn = passOn(s.Resources(name, kinds.TrafficRoute))
	if older := m.Older(kinds.OlderPermissions); older != nil {
		m.older = &OlderError{older}
	}
	dataplanes := s.Resources(name, kuma.KindDataplane)
	m.zones = phrase.Sorted(append(phrase.Each(dataplanes, func(r *kuma.Resource) string { return r.Zone() }), ""))
	without, with := m.externalEgresses()
	for _, dataplane := range dataplanes {
		c := m.readClient(dataplane)
		c.Zone = dataplane.Zone()
		if c.Broken == nil && c.Identity != (kuma.Key{}) {
			c.Broken = m.brokenByEgress(dataplane, without, with)
		}
		m.clients[dataplane.Name] = c
	}
	m.services = m.readServices()
	for _, service := range m.services {
		m.serviceByID[service.ID] = service
		if service.Tag != "" {
			m.servicesByTag[service.Tag] = append(m.servicesByTag[service.Tag], service.ID)
		}
		service.partly = !m.staysReady(service.ID) && slices.ContainsFunc(service.Members, m.isNotReady)
	}
	return m, nil
}

// Services returns the services of the mesh, in order of kind and name.
func (m *Mesh) Services() []*Service { return m.services }

// Snapshot returns the resources.
func (m *Mesh) Snapshot() *rules.Snapshot { return m.snapshot }

// Name returns the name of the mesh.
func (m *Mesh) Name() string { return m.name }

// Dataplanes returns the names of the Dataplanes of the mesh in ascending order.
func (m *Mesh) Dataplanes() []string { return m.snapshot.Dataplanes(m.name) }

// dataplane returns a Dataplane of the mesh, nil if there is none.
func (m *Mesh) dataplane(name string) *kuma.Resource {
	return m.snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: m.name, Name: name})
}

// IsZoneProxy reports whether a Dataplane only has listeners for traffic between zones or out
// of the mesh.
func (m *Mesh) IsZoneProxy(dataplane string) bool {
	networking := tree.Root(m.dataplane(dataplane).Body).Get("networking")
	return networking.Get("listeners").Filled() && networking.Get("inbound").Empty()
}

// HasListener reports whether a Dataplane has a listener of a type, for traffic between zones or out of the mesh.
func (m *Mesh) HasListener(dataplane, listenerType string) bool {
	types := tree.Root(m.dataplane(dataplane).Body).Find("networking.listeners[].type")
	return slices.ContainsFunc(types, func(n tree.Node) bool { return n.Value() == listenerType })
}

// Client returns a dataplane as a client. It is zero if there is none.
func (m *Mesh) Client(dataplane string) Client { return m.clients[dataplane] }

// Target is a port of a dataplane, and the port of the service that clients ask for: zero if
// they connect directly.
type Target struct {
	Service   rules.Port
	Dataplane string
	Port      int
	Address   string // only needed if several inbounds of the dataplane have the port
}

// byTags reports whether clients ask for a service that is only known by tags.
func (t Target) byTags() bool {
	return t.Service.Resource.Type == "" && t.Service.Resource.Name != ""
}

// ServerName returns the name that clients with a MeshIdentity ask for in the handshake with a
// service. It is empty if there is none, or if it contains a hash, as the names of other clients do.
// Before Kuma 3.0, it contains the number of the port, although the list of server names that
// the control plane has for the service contains its name (proxies.md §5).
func (m *Mesh) ServerName(service rules.Port) string {
	id, section := service.Resource, service.Section
	if id.Type == "" {
		return "" // none, or one by tags, which contains the tags
	}
	if !m.snapshot.Release().Kuma3() {
		if id.Type == kuma.KindMeshMultiZoneService {
			return "" // a name that contains a hash
		}
		section = strconv.Itoa(service.Number)
	}
	kind, _ := kinds.Find(id.Type)
	return kuma.KRI{ShortName: kind.ShortName, Mesh: id.Mesh, Zone: id.Zone, Namespace: id.Namespace, Name: id.Name, Section: section}.SNI()
}

// Decide returns whether the proxy of a dataplane can connect to a target. The error is one
// of [rules.Snapshot.Rules], or says that there is no such port.
func (m *Mesh) Decide(client string, to Target) (Decision, error) {
	c, ok := m.clients[client]
	if !ok {
		return Decision{}, fmt.Errorf("%w %q in mesh %q", rules.ErrUnknownDataplane, client, m.name)
	}
	return m.DecideFor(c, to)
}

// DecideFor is [Mesh.Decide] for any client.
func (m *Mesh) DecideFor(c Client, to Target) (Decision, error) {
	s, err := m.Server(to)
	if err != nil {
		return Decision{}, err
	}
	return s.Decide(c), nil
}

// Server is everything that decides on the clients of a target.
type Server struct {
	*permission
	broken     error
	secure     bool // it has a certificate
	permissive bool // it accepts plaintext, too
	encrypts   bool // clients with a certificate speak TLS
	encryptsID bool // clients with a certificate of a MeshIdentity speak TLS
	misnamed   bool // clients with a MeshIdentity expect another name
	byTags     bool // clients with a MeshIdentity reject all certificates
	egress     bool // it accepts mutual TLS only
	zone       string
	notIssued  string // [Client.NotIssued] of its own proxy
	untrusted  string // quoted zones in which no client accepts its certificate
	bundled    bool   // [Client.bundled] of its own proxy
	external   bool   // [Client.external] of its own proxy
	serverName string
	ambiguous  bool        // inbounds with one address and port have different protocols
	older      *OlderError // why it is not known which clients it allows
}

// Server returns the settings that decide at a target. Equal settings decide equally. The errors are
// the errors of [Mesh.Decide].
func (m *Mesh) Server(to Target) (Server, error) {
	inbounds, err := m.inbounds(to)
	if err != nil {
		return Server{}, err
	}
	i := slices.IndexFunc(inbounds, func(in inbound) bool { return in.Port == to.Port })
	switch {
	case i >= 0:
	case m.listens(to):
		i, inbounds = 0, []inbound{{permission: m.newPermission(rules.Incoming{})}}
	default:
		return Server{}, fmt.Errorf("the dataplane %q has no port %d", to.Dataplane, to.Port)
	}
	modes, err := m.tlsModes(to)
	own := m.clients[to.Dataplane]
	s := Server{
		permission: inbounds[i].permission, broken: own.Broken, secure: len(own.Names) > 0,
		zone:       own.Zone,
		notIssued:  own.NotIssued,
		untrusted:  own.untrusted,
		bundled:    own.bundled,
		external:   own.external,
		permissive: cmp.Or(modes[to.Port], m.DefaultTLSMode(to.Dataplane)) == tlsPermissive, encrypts: m.encrypts(to),
		ambiguous: len(m.protocols(to)) > 1,
	}
	// In 2.14, they expect the tag itself instead of the name with it (proxies.md §5).
	s.misnamed = m.mutualTLS && own.Identity == (kuma.Key{}) && to.Service.Resource.Type == kuma.KindMeshMultiZoneService
	s.encryptsID = s.encrypts || !m.snapshot.Release().Kuma3() && !to.byTags()
	s.byTags, s.egress = to.byTags(), to.Service.Resource.Type == kuma.KindMeshExternalService
	s.secure = s.secure && (!s.egress || own.Identity != (kuma.Key{}))
	if own.Identity == (kuma.Key{}) && !m.snapshot.IsSelected(m.name, to.Dataplane, kinds.MeshTrafficPermission.Name) {
		s.older = m.older
	}
	if s.byServerName {
		s.serverName = m.ServerName(to.Service)
	}
	return s, err
}

// listens reports whether a zone egress listens on a port. Without permissions, it denies all
// clients, as an inbound does.
func (m *Mesh) listens(to Target) bool {
	return slices.ContainsFunc(tree.Root(m.dataplane(to.Dataplane).Body).Get("networking", "listeners").Items(),
		func(l tree.Node) bool { return tree.Int(l.Get("port").Value()) == to.Port })
}

// BrokenBy returns the same server if it gets no configuration for a reason, which may be nil.
func (s Server) BrokenBy(reason error) Server {
	if s.broken == nil {
		s.broken = reason
	}
	return s
}

// Decide returns whether a client can connect.
func (s Server) Decide(c Client) Decision {
	encrypted := len(c.Names) > 0 && (s.encrypts || s.isElsewhere(c) || s.encryptsID && c.Identity != (kuma.Key{}))
	d := s.verdict(c, encrypted)
	d.TLS = encrypted
	if without := s.withoutCertificate(c, d); without != "" {
		d.Problem = errors.New(without)
	}
	return d
}

// isElsewhere reports whether a client is in another zone, whose requests go through a zone ingress: always with TLS, if it has a
// certificate (proxies.md §5).
func (s Server) isElsewhere(c Client) bool { return s.zone != "" && c.Zone != "" && s.zone != c.Zone }

func (s Server) verdict(c Client, encrypted bool) Decision {
	switch {
	case c.Broken != nil:
		return Decision{Verdict: NoConfiguration, Problem: c.Broken}
	case s.broken != nil:
		return Decision{Verdict: NoConfiguration, Problem: s.broken}
	case s.ambiguous:
		return Decision{Verdict: Undecided, Problem: errAmbiguous}
	case !s.secure && s.egress:
		return Decision{Verdict: TLSMismatch, Problem: errEgress}
	case !s.secure && encrypted:
		return Decision{Verdict: TLSMismatch}
	case s.isElsewhere(c) && !encrypted:
		return Decision{Verdict: TLSMismatch, Problem: errPlaintext}
	case !s.secure:
		return Decision{Verdict: Unchecked}
	case encrypted && s.distrusts(c):
		if s.isElsewhere(c) {
			return Decision{Verdict: TLSMismatch, Problem: errForeign}
		}
		return Decision{Verdict: TLSMismatch, Problem: errUntrusted}
	case s.misnamed && c.Identity != (kuma.Key{}):
		return Decision{Verdict: TLSMismatch, Problem: errMisnamed}
	case s.byTags && encrypted && c.Identity != (kuma.Key{}):
		return Decision{Verdict: TLSMismatch, Problem: errByTags}
	case encrypted && s.older != nil:
		return Decision{Verdict: Undecided, Problem: s.older}
	case encrypted && c.Unknown != nil:
		return Decision{Verdict: Undecided, Problem: c.Unknown}
	case encrypted && c.Identity == (kuma.Key{}):
		return s.decide(c, "") // a name that contains a hash
	case encrypted:
		return s.decide(c, s.serverName)
	case s.permissive:
		return Decision{Verdict: Plaintext}
	case len(c.Names) == 0:
		return Decision{Verdict: NoCertificate}
	case s.distrusts(c): // so the service is not ready for TLS on Kuma 3.0
		return Decision{Verdict: TLSMismatch, Problem: errUntrusted}
	default:
		return Decision{Verdict: TLSMismatch}
	}
}

// distrusts reports whether one end rejects the certificate of the other, because it does not know its authority.
func (s Server) distrusts(c Client) bool {
	return strings.Contains(s.untrusted, strconv.Quote(c.Zone)) || strings.Contains(c.untrusted, strconv.Quote(s.zone)) ||
		s.external && c.bundled || c.external && s.bundled
}

// encrypts reports whether clients with a certificate speak TLS to a target: on Kuma 3.0, and in mode
// PERMISSIVE of a mesh before that, only if all proxies of the service have one (proxies.md §5). To an
// egress, they always do before 3.0, as clients with a MeshIdentity do.
func (m *Mesh) encrypts(to Target) bool {
	atEgress := to.Service == (rules.Port{}) || to.Service.Resource.Type == kuma.KindMeshExternalService
	switch {
	case to.byTags(): // in mode Exclusive, the control plane does not know whose proxies are ready for TLS
		return m.mutualTLS && (!m.permissive || !m.snapshot.Exclusive(m.name))
	case !m.snapshot.Release().Kuma3() && (!m.permissive || atEgress):
		return true
	case atEgress:
		return len(m.clients[to.Dataplane].Names) > 0
	default:
		service := m.serviceByID[to.Service.Resource]
		return service == nil || !service.partly
	}
}

// sharesPort reports whether several inbounds of a dataplane have the port of a target, with
// different addresses.
func (m *Mesh) sharesPort(to Target) bool {
	return to.Address != "" && len(m.onPort(to)) > 1
}

// onPort returns the inbounds with the port of a target.
func (m *Mesh) onPort(to Target) (found []Endpoint) {
	dataplane := m.dataplane(to.Dataplane)
	for _, in := range tree.Root(dataplane.Body).Get("networking", "inbound").Items() {
		if tree.Int(in.Get("port").Value()) == to.Port {
			found = append(found, NewEndpoint(dataplane, in))
		}
	}
	return found
}

// protocols returns the protocols of the inbounds with the address and port of a target.
func (m *Mesh) protocols(to Target) []string {
	if !m.sharesPort(to) {
		return nil
	}
	var found []string
	for _, e := range m.onPort(to) {
		if e.Inbound == to.Address {
			found = append(found, strings.ToLower(cmp.Or(tree.Text(e.Node.Get("protocol").Value()), e.tags[kuma.TagProtocol], "tcp")))
		}
	}
	return phrase.Sorted(found)
}

// atTarget returns what follows from the settings of a kind for the inbounds of the dataplane of a target, computed once
// for equal dataplanes. If others have the port of the target, it is only about the inbound of the target.
func atTarget[V any](m *Mesh, known map[*rules.Match]V, to Target, kind string, compute func([]rules.Incoming) V) (V, error) {
	match, shared := m.snapshot.Match(m.name, to.Dataplane, kind), m.sharesPort(to)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if found, ok := known[match]; ok && !shared {
		return found, nil
	}
	policies, err := m.snapshot.Outline(m.name, to.Dataplane, kind)
	found := compute(slices.DeleteFunc(policies.Incoming(), func(in rules.Incoming) bool { return shared && in.Address != to.Address }))
	if !shared && err == nil {
		known[match] = found
	}
	return found, err
}

// inbounds returns the ports of the dataplane of a target.
func (m *Mesh) inbounds(to Target) ([]inbound, error) {
	return atTarget(m, m.matches, to, kinds.MeshTrafficPermission.Name, func(all []rules.Incoming) (found []inbound) {
		for _, in := range all {
			found = append(found, inbound{in.Inbound, m.newPermission(in)})
		}
		return found
	})
}

// Modes of MeshTLS.
const tlsStrict, tlsPermissive = "Strict", "Permissive"

// TLSModes returns the modes that MeshTLS sets for the inbounds of a dataplane, by port.
func (m *Mesh) TLSModes(dataplane string) (map[int]string, error) {
	return m.tlsModes(Target{Dataplane: dataplane})
}

func (m *Mesh) tlsModes(to Target) (map[int]string, error) {
	return atTarget(m, m.modes, to, kinds.MeshTLS.Name, func(all []rules.Incoming) map[int]string {
		modes := map[int]string{}
		for _, in := range all {
			for _, r := range in.Rules {
				if mode := tree.Text(tree.Object(r.Merge())["mode"]); mode != "" {
					modes[in.Inbound.Port] = mode
				}
			}
		}
		return modes
	})
}

// DefaultTLSMode returns the mode of MeshTLS that a proxy has if no policy sets it.
func (m *Mesh) DefaultTLSMode(dataplane string) string {
	if m.permissive && m.clients[dataplane].Identity == (kuma.Key{}) {
		return tlsPermissive
	}
	return tlsStrict
}

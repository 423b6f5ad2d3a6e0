package proxy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Client is a proxy that connects.
type Client struct {
	Dataplane string
	Zone      string // empty if it is not known
	// Names are the URIs of the certificate, in its order: one from a MeshIdentity, several
	// from the mesh, and none without a certificate.
	Names    []string
	Identity kuma.Key // the MeshIdentity that issues the certificate, if one does
	// Broken is why the proxy gets no configuration, so that it can neither connect nor be
	// connected to; nil if it gets one.
	Broken error
	// Unknown is why the SPIFFE ID cannot be computed, so that permissions are undecided; nil
	// if it can.
	Unknown error
	// NotIssued is why the MeshIdentity that selects the proxy issues no certificate to it, as a clause; empty if it does, or
	// if none selects it.
	NotIssued string

	text      string // the names, as `rules` compare them
	untrusted string // quoted zones in which no proxy accepts the certificate; a list would not be comparable
	bundled   bool   // the control plane issues the certificate, so that the proxy trusts what a MeshTrust has
	external  bool   // something else issues it, and no MeshTrust has the authority
}

func newClient(dataplane string, names []string) Client {
	return Client{Dataplane: dataplane, Names: names, text: strings.Join(names, ",")}
}

// SPIFFEID returns the SPIFFE ID of the client, empty without a certificate. If a
// certificate of the mesh has several, it is the first.
func (c Client) SPIFFEID() string {
	if len(c.Names) == 0 {
		return ""
	}
	return c.Names[0]
}

// IsNamed reports whether the certificate matches a SPIFFE ID, or a prefix of one. Several names are compared as one string (matching.md
// §7.5).
func (c Client) IsNamed(id string, prefix bool) bool {
	return len(c.Names) > 0 && (c.text == id || prefix && strings.HasPrefix(c.text, id))
}

// AcceptedIDs returns the SPIFFE IDs that clients of a service with a Dataplane accept: that of a MeshIdentity, and before Kuma 3.0
// those by its tags, also if the mesh issues no certificates (measured on 2.14.3).
func (m *Mesh) AcceptedIDs(dataplane string) []string {
	ids := slices.DeleteFunc(slices.Clone(m.clients[dataplane].Names), func(name string) bool { return !strings.HasPrefix(name, "spiffe://") })
	if m.snapshot.Release().Kuma3() {
		return ids
	}
	for _, tags := range tree.Root(m.dataplane(dataplane).Body).Find("networking.inbound[].tags") {
		if service, ok := tags.Get(kuma.TagService).Text(); ok {
			ids = append(ids, m.serviceID(service))
		}
	}
	return ids
}

// ClientWith returns a client if only its SPIFFE ID is known. A certificate of the mesh also has the
// name of the service, and other names that are not known.
func (m *Mesh) ClientWith(id string) Client {
	if service, ok := strings.CutPrefix(id, m.serviceID("")); ok && m.mutualTLS {
		return newClient("", []string{id, tagName(kuma.TagService, service)})
	}
	c := newClient("", []string{id})
	c.Identity = kuma.Key{Type: kinds.MeshIdentity.Name, Mesh: m.name}
	return c
}

// readClient returns the client that a Dataplane is.
func (m *Mesh) readClient(dataplane *kuma.Resource) Client {
	c := m.certified(dataplane)
	if of, problem := m.snapshot.IdentityProblem(m.name, dataplane.Name); problem != "" {
		c.NotIssued = fmt.Sprintf("%s issues no certificates, because %s", of.Local(), problem)
		if c.Identity == of {
			c.Broken = errors.New(c.NotIssued)
		}
	}
	return c
}

// certified is [Mesh.readClient] without why a MeshIdentity issues no certificate.
func (m *Mesh) certified(dataplane *kuma.Resource) Client {
	identity := m.snapshot.Identity(m.name, dataplane.Name)
	switch {
	case identity != (kuma.Key{}):
		id, err := kinds.SPIFFEID(*m.snapshot.Resource(identity), *dataplane)
		if _, ok := errors.AsType[*kinds.PathError](err); ok {
			c := newClient(dataplane.Name, nil)
			c.Identity, c.Broken = identity, err
			return c
		}
		c := newClient(dataplane.Name, []string{id})
		c.Identity, c.Unknown = identity, err
		c.bundled = kinds.IsBundled(*m.snapshot.Resource(identity))
		c.external = !c.bundled && err == nil && !m.hasExternalTrust(id)
		for _, zone := range m.zones {
			if m.isUntrusted(m.snapshot.Resource(identity), id, dataplane.Zone(), zone) {
				c.untrusted += strconv.Quote(zone)
			}
		}
		return c
	case m.mutualTLS:
		c := newClient(dataplane.Name, m.namesByMesh(dataplane))
		networking := tree.Root(dataplane.Body).Get("networking")
		if len(c.Names) == 0 && (networking.Get("inbound").Filled() || networking.Get("outbound").Filled() || IsTransparent(dataplane)) {
			c.Broken = ErrNoService
		}
		return c
	default:
		return newClient(dataplane.Name, nil)
	}
}

// ErrNoService is why a proxy gets no certificate of the mesh, and so no configuration.
var ErrNoService = fmt.Errorf("a certificate of the mesh needs a service, and the Dataplane has neither the tag %s nor the label %s",
	kuma.TagService, kuma.LabelWorkload)

// namesByMesh returns the names in a certificate of the mesh: a SPIFFE ID for each service,
// and a name for each tag (matching.md §7.5). Without tags, the workload is the service.
func (m *Mesh) namesByMesh(dataplane *kuma.Resource) []string {
	networking := tree.Root(dataplane.Body).Get("networking")
	var ids, tags []string
	for _, n := range append(networking.Get("inbound").Items(), networking.Get("gateway")) {
		for key, value := range tree.StringMap(n.Get("tags").Value()) {
			tags = append(tags, tagName(key, value))
			if key == kuma.TagService {
				ids = append(ids, m.serviceID(value))
			}
		}
	}
	if workload := dataplane.Labels[kuma.LabelWorkload]; len(ids) == 0 && workload != "" {
		return []string{m.serviceID(workload), tagName(kuma.TagService, workload)}
	}
	return append(phrase.Sorted(ids), phrase.Sorted(tags)...)
}

func (m *Mesh) serviceID(service string) string { return "spiffe://" + m.name + "/" + service }

func tagName(key, value string) string { return "kuma://" + key + "/" + value }

// Identification is equal for clients on which all decisions are equal.
func (c Client) Identification() string {
	return fmt.Sprint(c.text, c.Broken, c.Unknown, c.Zone, c.untrusted, c.bundled, c.external)
}

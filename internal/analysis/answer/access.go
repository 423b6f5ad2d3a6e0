package answer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
)

// Undecided is the verdict where it is not known whether a client can connect.
const Undecided = proxy.Undecided

// Access says which clients may call which services in a mesh.
type Access struct {
	documentWarnings
	Access  []ServiceAccess  `json:"access"`
	Omitted int              `json:"access_omitted"`
	Clients []Client         `json:"clients"`
	Counts  AccessCounts     `json:"counts"`
	Matrix  string           `json:"matrix"`
	Strict  bool             `json:"strict_ready"`
	Summary string           `json:"summary"`
	Unknown []access.Unknown `json:"-"` // what the filter names and the mesh does not have
}

// ServiceAccess is the answer of clients at a port of a service.
type ServiceAccess struct {
	Clients     []string `json:"clients"`
	ClientCount int      `json:"client_count"`
	Service     string   `json:"service"`
	Port        int      `json:"port"`
	PortName    string   `json:"port_name"`
	Allowed     bool     `json:"allowed"`
	Reachable   bool     `json:"reachable"`
	Plaintext   bool     `json:"plaintext"`
	Verdict     string   `json:"verdict"`
	Policy      string   `json:"policy,omitzero"`
	Reason      string   `json:"reason"`
}

// Client is a group of Dataplanes with the same access.
type Client struct {
	Name           string   `json:"name"`
	Dataplanes     []string `json:"dataplanes"`
	DataplaneCount int      `json:"dataplane_count"`
	SPIFFEID       string   `json:"spiffe_id,omitzero"`
}

// AccessCounts are numbers of pairs of a client and a port.
type AccessCounts struct {
	Allowed   int `json:"allowed"`
	Refused   int `json:"refused"`
	Undecided int `json:"undecided"`
	Unreached int `json:"unreached"`
	Plaintext int `json:"plaintext"`
}

// OfAccess returns which clients may call which services, either completely or as much as a state
// should hold.
func OfAccess(m input.Mesh, f access.Filter, complete bool) (Access, error) {
	m = m.InZones()
	snapshot, caveat := m.Snapshot()
	mesh, err := proxy.New(snapshot, m.Name)
	if err != nil {
		return Access{}, err
	}
	matrix, err := access.Of(mesh, f)
	if err != nil {
		return Access{}, err
	}
	out := Access{
		documentWarnings: documentWarnings{m.Warnings}, Matrix: matrix.Table(), Summary: afterCaveat(caveat, matrix.Summary()),
		Unknown: matrix.Unknown,
	}
	for _, row := range matrix.Rows {
		for _, a := range row.Access {
			allowed := a.Verdict.Connects()
			out.Counts.add(a, len(row.Ports)*len(a.Clients))
			if !allowed && !a.Reachable {
				continue
			}
			for _, p := range row.Ports {
				out.Access = append(out.Access, ServiceAccess{
					Clients: limited(matrix.Names(a), MaxNames, complete), ClientCount: len(a.Clients), Service: p.Resource.Name, Port: p.Number,
					PortName: p.Section,
					Allowed:  allowed, Reachable: a.Reachable, Plaintext: a.Plaintext, Verdict: string(a.Verdict), Policy: a.Policy.Name,
					Reason: a.Reason,
				})
			}
		}
	}
	slices.SortStableFunc(out.Access, func(a, b ServiceAccess) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Port, b.Port))
	})
	out.Clients = phrase.Each(limited(matrix.Clients, MaxRows, complete), func(g access.ClientGroup) Client {
		return Client{g.Name, limited(g.Dataplanes, MaxNames, complete), len(g.Dataplanes), g.SPIFFEID()}
	})
	total := len(out.Access)
	out.Access = limited(out.Access, MaxRows, complete)
	out.Omitted = total - len(out.Access)
	out.Strict = len(matrix.Clients) > 0 && len(matrix.Rows) > 0 && out.Counts.Plaintext == 0
	return out, nil
}

func (c *AccessCounts) add(a access.Access, n int) {
	switch {
	case a.Verdict.Connects() && a.Reachable:
		c.Allowed += n
	case a.Verdict.Connects():
		c.Unreached += n
	case a.Reachable && a.Verdict == proxy.Undecided:
		c.Undecided += n
	case a.Reachable:
		c.Refused += n
	}
	if a.Plaintext && a.Reachable {
		c.Plaintext += n
	}
}

// Missing returns an error if the filter names what the mesh does not have: a condition would
// pass unnoticed.
func (a Access) Missing() error {
	if len(a.Unknown) == 0 {
		return nil
	}
	what, u := "service", a.Unknown[0]
	if u.Client {
		what = "client"
	}
	return fmt.Errorf("there is no %s %q.%s", what, u.Name, u.Suggestion)
}

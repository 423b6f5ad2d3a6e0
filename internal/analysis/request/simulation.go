package request

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
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

func (sim Simulation) sending(r Request, mesh *access.Mesh, client access.Client) *sending {
	return &sending{Request: r, Behavior: sim.Behavior, snapshot: sim.snapshot, prepared: sim.prepared, access: mesh, client: client, read: map[question]rules.PolicyRules{}}
}

// send returns what happens to a request of one client.
func (sim Simulation) send(r Request, mesh *access.Mesh, client access.Client) (Answer, error) {
	s := sim.sending(r, mesh, client)
	reach := s.reach
	if s.isBuiltinGateway() {
		reach = s.enter
	}
	reached, err := reach()
	if err == nil && reached {
		err = s.follow()
	}
	if err == nil {
		s.explain()
	}
	return s.Answer, err
}

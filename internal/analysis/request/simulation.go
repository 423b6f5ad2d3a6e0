package request

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
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
	return Simulation{BehaviorOf(s.Release()), s, &prepared{
		meshes: map[string]*proxy.Mesh{}, frozen: map[kuma.Key]*Frozen{}, suspicious: map[string]map[kuma.Key]bool{},
		references: map[string]map[kuma.ID][]routeReference{},
		policies:   map[question]rules.PolicyRules{}, routes: map[question]*httpRules{}, sections: map[question]sections{},
	}}
}

// prepared caches results that all requests share.
type prepared struct {
	sync.Mutex

	meshes     map[string]*proxy.Mesh                  // decisions about clients
	frozen     map[kuma.Key]*Frozen                    // by Dataplane
	suspicious map[string]map[kuma.Key]bool            // policies that can freeze a proxy, by mesh
	references map[string]map[kuma.ID][]routeReference // by mesh
	policies   map[question]rules.PolicyRules
	routes     map[question]*httpRules
	sections   map[question]sections
}

// question is about the policies of a kind for a proxy, and about a destination if that is not empty.
type question struct{ mesh, kind, dataplane, destination string }

// once returns the answer to a question from known, or computes and keeps it.
func once[K comparable, V any](p *prepared, known map[K]V, question K, compute func() (V, error)) (V, error) {
	p.Lock()
	found, ok := known[question]
	p.Unlock()
	if ok {
		return found, nil
	}
	found, err := compute()
	if err == nil {
		p.Lock()
		known[question] = found
		p.Unlock()
	}
	return found, err
}

// mesh returns the decisions in a mesh.
func (p *prepared) mesh(s *rules.Snapshot, name string) (*proxy.Mesh, error) {
	p.Lock()
	defer p.Unlock()
	if found, ok := p.meshes[name]; ok {
		return found, nil
	}
	found, err := proxy.New(s, name)
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
		if err := kinds.CheckSPIFFEID(r.SPIFFEID); err != nil {
			// One error: two wrapped ones are reported separately.
			return Answer{}, fmt.Errorf("%w %q: %s", ErrInvalidSPIFFEID, r.SPIFFEID, err.Error())
		}
		return sim.send(r, mesh, mesh.ClientWith(r.SPIFFEID))
	case r.ClientService != "":
		return sim.sendOfService(r, mesh)
	}
	if err := sim.snapshot.CheckDataplane(r.Mesh, r.Dataplane); err != nil {
		return Answer{}, err
	}
	return sim.send(r, mesh, mesh.Client(r.Dataplane))
}

func (sim Simulation) sending(r Request, mesh *proxy.Mesh, client proxy.Client) *sending {
	return &sending{Request: r, Simulation: sim, proxies: mesh, client: client, failed: new(error)}
}

// client returns a Dataplane that sends no request yet. The error is one of package rules.
func (sim Simulation) client(meshName, dataplane string) (*sending, error) {
	if err := sim.snapshot.CheckDataplane(meshName, dataplane); err != nil {
		return nil, err
	}
	mesh, _ := sim.prepared.mesh(sim.snapshot, meshName) // which exists
	return sim.sending(Request{Mesh: meshName, Dataplane: dataplane}, mesh, mesh.Client(dataplane)), nil
}

// ask returns an answer about the proxy of a Dataplane. The error is one of package rules.
func ask[V any](sim Simulation, mesh, dataplane string, answer func(*sending) V) (about V, err error) {
	s, err := sim.client(mesh, dataplane)
	if err != nil {
		return about, err
	}
	return answer(s), s.failure()
}

// send returns what happens to a request of one client.
func (sim Simulation) send(r Request, mesh *proxy.Mesh, client proxy.Client) (Answer, error) {
	s := sim.sending(r, mesh, client)
	reach := s.reach
	if s.isBuiltinGateway() {
		reach = s.enter
	}
	reached, err := reach()
	if (err == nil || errors.Is(err, ErrUnknownPort)) && !s.isGenerated() {
		reached, err = false, nil
	}
	if err == nil && (s.isRouted(reached) || reached && (s.isDrawn() || s.isUnseen() || s.isRejected())) {
		reached = false
	}
	if err == nil && reached {
		s.follow()
		s.findUncertain()
	}
	if err = cmp.Or(err, s.failure()); err == nil {
		s.explain()
	}
	return s.Answer, err
}

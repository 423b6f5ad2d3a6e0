package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	running "github.com/kuma-universal/terraform-provider-kuma/internal/provider/rollout"
)

// source is where the stored resources come from, by the options.
type source struct {
	*options
	target    provider.Target
	documents string
	managed   bool
	// read reads the documents at a path.
	read func(path string, of []def.Kind) (*documents, error)
}

func (o *options) source() *source {
	s := &source{options: o, read: o.readValid}
	o.StringVar(&s.target.Endpoint, "endpoint", "",
		"`URL` of the control plane, by default that of KUMA_ENDPOINT, or of the current context of kumactl")
	o.StringVar(&s.target.Context, "context", "", "`name` of a context of kumactl that provides the control plane")
	o.StringVar(&s.target.Embedded, "embedded", "", "`directory` of the embedded control plane of a configuration")
	return s
}

// planSource is [options.source] of what is stored before a plan is applied.
func (o *options) planSource() *source {
	s := o.source()
	o.StringVar(&s.documents, "documents", "", "`path` of documents that are stored, instead of a control plane")
	o.BoolVar(&s.managed, "managed-only", false, "compare only what Terraform manages, without a control plane")
	return s
}

// base is what is stored before a plan is applied.
type base struct {
	description string       // as the end of a sentence
	store       *store.Store // nil without a control plane
	// read returns the resources of a mesh, and of the kinds outside meshes. What will be written
	// may include the mesh.
	read   func(ctx context.Context, mesh string, of []def.Kind, written []kuma.Resource) (kuma.ControlPlane, []kuma.Resource, error)
	meshes func(ctx context.Context) ([]string, error)
}

// open opens what the options select for a zone, which is empty if it is not known. managed returns
// what Terraform manages.
func (s *source) open(ctx context.Context, zone string, managed func() (*input.Documents, error)) (*base, error) {
	onStore, onDocuments := s.target != provider.Target{}, s.documents != ""
	switch {
	case onStore && onDocuments, onStore && s.managed, onDocuments && s.managed:
		return nil, errors.New("only one of -endpoint, -context, -embedded, -documents and -managed-only can be set")
	case onDocuments:
		docs, err := s.readValid(s.documents, lint.Kinds())
		if err != nil {
			return nil, err
		}
		return ofDocuments("the documents in "+s.documents, kuma.ControlPlane{}, s.options, docs.Documents), nil
	case !s.managed:
		opened, err := s.connect(ctx, zone)
		if err != nil {
			return nil, err
		}
		if opened != nil {
			return ofStore(opened), nil
		}
	}
	docs, err := managed()
	if err != nil {
		return nil, err
	}
	var cp kuma.ControlPlane
	if zone != "" {
		cp = kuma.ControlPlane{Mode: kuma.ModeZone, Zone: zone}
	}
	description := "only what Terraform manages"
	if !s.managed {
		description += ", because no control plane is set"
	}
	return ofDocuments(description, cp, s.options, docs), nil
}

func ofStore(opened *store.Store) *base {
	cp := opened.ControlPlane
	name := "the control plane"
	if cp.Zone != "" {
		name += fmt.Sprintf(" of zone %q", cp.Zone)
	}
	return &base{
		description: fmt.Sprintf("%s, Kuma %s", name, cp.Release), store: opened,
		read: func(ctx context.Context, mesh string, of []def.Kind, _ []kuma.Resource) (kuma.ControlPlane, []kuma.Resource, error) {
			stored, err := opened.MeshResources(ctx, mesh, of)
			return cp, stored, err
		},
		meshes: func(ctx context.Context) (names []string, err error) {
			for r, err := range opened.All(ctx, kinds.Mesh, "") {
				if err != nil {
					return nil, err
				}
				names = append(names, r.Name)
			}
			return names, nil
		},
	}
}

func ofDocuments(description string, cp kuma.ControlPlane, o *options, docs *input.Documents) *base {
	return &base{
		description: description,
		read: func(_ context.Context, mesh string, _ []def.Kind, written []kuma.Resource) (kuma.ControlPlane, []kuma.Resource, error) {
			storing, stored := docs.Stored(mesh, cp, o.requested, written)
			return storing, stored, nil
		},
		meshes: func(context.Context) (names []string, err error) {
			for _, r := range docs.Resources() {
				if r.Type == kuma.KindMesh {
					names = append(names, r.Name)
				}
			}
			return names, nil
		},
	}
}

// connect opens the control plane that the options select, nil if there is none. The directory of an
// embedded one does not say its zone: without a given one, it is that of its Dataplanes.
func (s *source) connect(ctx context.Context, zone string) (*store.Store, error) {
	target := s.target
	if target.Embedded == "" {
		return provider.Open(ctx, s.version, target)
	}
	target.Zone = zone
	opened, err := provider.Open(ctx, s.version, target)
	if err != nil || zone != "" {
		return opened, err
	}
	for dataplane, err := range opened.All(ctx, kinds.Dataplane, "") {
		if err != nil {
			return nil, err
		}
		target.Zone = dataplane.Zone()
		return provider.Open(ctx, s.version, target)
	}
	return opened, nil
}

// controlPlane opens the control plane that the options select.
func (s *source) controlPlane(ctx context.Context) (*base, error) {
	opened, err := s.connect(ctx, "")
	if err != nil {
		return nil, err
	}
	if opened == nil {
		return nil, s.wrong("%s needs %s: set -endpoint, -context or -embedded, or the environment variable %s.", s.Name(), s.needs,
			connection.EnvEndpoint)
	}
	return ofStore(opened), nil
}

// selected returns the mesh of the option, or all.
func (b *base) selected(ctx context.Context, o *options) ([]string, error) {
	if o.mesh != "" {
		return []string{o.mesh}, nil
	}
	return b.meshes(ctx)
}

// mesh returns a mesh as the control plane stores it, read by the requested release.
func (b *base) mesh(ctx context.Context, name string, of []def.Kind, o *options) (input.Mesh, error) {
	cp, stored, err := b.read(ctx, name, of, nil)
	if err != nil {
		return input.Mesh{}, err
	}
	_, mesh := input.Written(name, cp, o.requested, stored, nil, nil)
	mesh.WithShadow = o.shadow
	return mesh, nil
}

// runningProxy is a proxy as JSON.
type runningProxy struct {
	Name      string   `json:"name"`
	Zone      string   `json:"zone"`
	Status    string   `json:"status"`
	Connected bool     `json:"connected"`
	KumaDP    string   `json:"kuma_dp_version"`
	Envoy     string   `json:"envoy_version"`
	Rejected  int      `json:"rejected"` // configurations, since the proxy connected
	Pending   int      `json:"pending"`  // configurations that it has not answered
	Missing   []string `json:"missing_kuma3_features"`
}

// runningProxies are the running proxies of a mesh. Proxies that need attention come first.
type runningProxies struct {
	Proxies []runningProxy `json:"proxies"`
	Summary string         `json:"summary"`
}

func runProxies(ctx context.Context, arguments []string, s streams) (int, error) { //nolint:unparam // called like the others
	o := newOptions("proxies", "", s)
	expires := o.Duration("expires-within", time.Hour, "`duration` in which a certificate expires soon")
	from := o.source()
	if _, err := o.parse(arguments, 0, 0); err != nil {
		return 0, err
	}
	base, err := from.controlPlane(ctx)
	if err != nil {
		return 0, err
	}
	names, err := base.selected(ctx, o)
	if err != nil {
		return 0, err
	}
	var all answers
	for _, mesh := range names {
		now, err := running.ReadMesh(ctx, base.store, mesh)
		if err != nil {
			return 0, err
		}
		rollout.WorstFirst(now.Proxies)
		found := runningProxies{Summary: rollout.Summary(now.Proxies, rollout.ReadCertificates(now.Proxies, now.At, *expires))}
		for _, p := range now.Proxies {
			n := p.Responses.Total
			found.Proxies = append(found.Proxies,
				runningProxy{p.Name, p.Zone, string(p.Status), p.Connected, p.KumaDP, p.Envoy, int(n.Rejected), int(n.Pending()), p.Required3()})
		}
		all.add(mesh, found, "Mesh "+mesh+": "+found.Summary)
	}
	return all.write(o, s.out)
}

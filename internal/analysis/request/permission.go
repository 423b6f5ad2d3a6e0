package request

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// client is the certificate of the proxy that sends a request.
type client struct {
	names   []string // none without a certificate
	tags    map[string]string
	problem error // why the certificate is not known
}

func (c client) certified() bool { return len(c.names) > 0 }

// clientOf returns the certificate of a Dataplane.
func clientOf(s *rules.Snapshot, mesh, dataplane string) client {
	r := s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: mesh, Name: dataplane})
	if r == nil {
		return client{}
	}
	if identity := s.Resource(s.Identity(mesh, dataplane)); identity != nil {
		id, err := kinds.SPIFFEID(*identity, *r)
		// Rules by tags compare the names in a certificate of the mesh, of which it has none.
		return client{names: []string{id}, tags: map[string]string{"": ""}, problem: err}
	}
	m := s.Resource(kuma.MeshKey(mesh))
	if m == nil || s.Release().Kuma3() || !kinds.MutualTLS(*m) {
		return client{}
	}
	c := client{tags: map[string]string{}}
	for _, in := range tree.Root(r.Body).Get("networking", "inbound").Items() {
		maps.Copy(c.tags, tree.StringMap(in.Get("tags").Value()))
	}
	c.names = []string{"spiffe://" + mesh + "/" + c.tags[kuma.TagService]}
	for key, value := range c.tags {
		c.names = append(c.names, "kuma://"+key+"/"+value)
	}
	slices.Sort(c.names[1:])
	return c
}

// meets reports whether the certificate matches a SPIFFE ID, or there is no condition. Several
// names are compared as one string (matching.md §7.5).
func (c client) meets(id map[string]any) bool {
	names, value := strings.Join(c.names, ","), tree.Text(id["value"])
	switch {
	case id == nil:
		return true
	case tree.Text(id["type"]) == prefix:
		return c.certified() && strings.HasPrefix(names, value)
	default:
		return names == value
	}
}

// certified reports whether a Dataplane has a certificate.
func (s *sending) certified(dataplane *kuma.Resource) bool {
	return clientOf(s.snapshot, s.Mesh, dataplane.Name).certified()
}

// permit sets the decision of the permissions of a proxy about the client.
func (s *sending) permit(p *Proxy) error {
	in, err := s.incoming("MeshTrafficPermission", p.Dataplane, p.Inbound.Port)
	if err != nil {
		return err
	}
	allowed, by := s.decide(in)
	p.By = by
	switch {
	case !allowed && len(by) == 0:
		p.Verdict, p.Reason = Denied, fmt.Sprintf("No MeshTrafficPermission allows the client to call Dataplane %q.", p.Dataplane)
	case !allowed:
		p.Verdict, p.Reason = Denied, fmt.Sprintf("%s denies the client.", by[0].Local())
	}
	return nil
}

// decide evaluates permissions for the client: deny wins over allow (matching.md §7.5).
func (s *sending) decide(in rules.Incoming) (allowed bool, by []kuma.Key) {
	if in.Access == rules.AccessUnchecked {
		return true, nil
	}
	if len(in.Rules) == 0 {
		i := slices.IndexFunc(in.From, func(r rules.Rule) bool { return r.Contains(s.client.tags) })
		if i < 0 {
			return false, nil
		}
		return tree.Text(tree.Object(in.From[i].Merge())["action"]) != "Deny", []kuma.Key{in.From[i].Denier()}
	}
	if by := s.listing(in, "deny"); len(by) > 0 {
		return false, by
	}
	by = s.listing(in, "allow", "allowWithShadowDeny")
	return len(by) > 0, by
}

// listing returns the policies that list the client.
func (s *sending) listing(in rules.Incoming, lists ...string) []kuma.Key {
	var by []kuma.Key
	for e := range in.Rules[0].Entries() {
		entries := tree.List(s.snapshot.Resource(e.Policy).Spec()["rules"])
		if e.Index >= len(entries) {
			continue
		}
		conf := tree.Object(tree.Object(entries[e.Index])["default"])
		if slices.ContainsFunc(lists, func(list string) bool {
			return slices.ContainsFunc(tree.Objects(conf[list]), func(match map[string]any) bool { return s.client.meets(tree.Object(match["spiffeID"])) })
		}) {
			by = append(by, e.Policy)
		}
	}
	return by
}

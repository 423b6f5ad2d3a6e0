package request

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// targets returns the backends of a rule: nil if the proxy does not have the rule.
func (s *sending) targets(t taken) []target {
	refs := t.conf.Get("backendRefs")
	if refs.Absent() || refs.Empty() && !s.EmptyFails {
		return s.itselfOnRoute()
	}
	if refs.Empty() {
		return []target{{weight: 1}}
	}
	all := s.resolve(refs, s.snapshot.Resource(t.Policy), true)
	if s.isKuma3() { // the share of a backend that does not exist is answered with 500; proxies of older releases ignore such backends
		if weighted := sharing(all); slices.ContainsFunc(weighted, isResolved) {
			return weighted
		}
		return []target{{name: phrase.And(phrase.Each(all, func(t target) string { return t.name })...), weight: 1}}
	}
	if !slices.ContainsFunc(all, func(t target) bool { return t.exists }) {
		return s.itselfOnRoute() // as if the rule had no backendRefs
	}
	return slices.DeleteFunc(sharing(all), func(t target) bool { return !t.resolved })
}

func isResolved(t target) bool { return t.resolved }

// sharing returns the targets that have a weight.
func sharing(all []target) []target {
	return slices.DeleteFunc(slices.Clone(all), func(t target) bool { return t.weight == 0 })
}

// resolve returns the backends of a rule.
func (s *sending) resolve(refs tree.Node, route *kuma.Resource, http bool) []target {
	var all []target
	for _, n := range refs.Items() {
		ref := rules.ParseBackendRef(n)
		t := target{name: cmp.Or(ref.Name, phrase.Pairs(ref.Labels)), weight: ref.Weight, tags: s.snapshot.Tags(ref)}
		switch {
		case t.tags != nil:
			t.port, t.name = s.portOf(t.tags), nameOf(t.tags)
			t.exists, t.resolved = true, !http || isHTTP(t.port.Protocol)
			all = append(all, t)
			continue
		case route != nil:
			t.service, t.port = s.snapshot.Backend(*route, ref)
			s.resolved = append(s.resolved, t.service)
			if t.service != (kuma.ID{}) && s.snapshot.IsAmbiguous(*route, ref) {
				s.ambiguous = t.service
			}
			if r, client := s.snapshot.Service(t.service), s.proxy(); r != nil && client != nil && !rules.ZoneHas(*client, *r) {
				t.service, t.port = kuma.ID{}, rules.Port{}
			}
			t.exists = t.service != kuma.ID{} || ref.Name != "" && len(ref.Labels) == 0 ||
				s.lacksPort(ref) // the control plane looks for the service only when it uses the backend
			t.resolved = t.port.Number != 0 && (!http || isHTTP(t.port.Protocol))
		}
		t.section = ref.Section(t.port)
		if t.resolved {
			t.name = t.port.Resource.Name
		}
		all = append(all, t)
	}
	return all
}

// lacksPort reports whether a reference to a MeshService by labels selects nothing because it has no
// port.
func (s *sending) lacksPort(ref rules.BackendRef) bool {
	return !s.isKuma3() && ref.Kind == kuma.KindMeshService && len(ref.Labels) > 0 && ref.Port == 0 && ref.SectionName == ""
}

// shared sets the shares of targets. In releases in which requests to missing backends fail, a proxy
// derives the share that fails and the choice among the others from one random number (matching.md
// §17.2).
func shared(targets []target) []target {
	var total, missing int64
	for _, t := range targets {
		total += t.weight
		if !t.resolved {
			missing += t.weight
		}
	}
	var out []target
	numerator, denominator := fraction(missing, total)
	if missing > 0 {
		failed := target{share: big.NewRat(numerator, denominator)}
		for _, t := range targets {
			if !t.resolved {
				failed.name = cmp.Or(failed.name, t.name)
			}
		}
		out = append(out, failed)
	}
	if missing == total {
		return out
	}
	var from int64
	for _, t := range targets {
		if !t.resolved {
			continue
		}
		t.share = drawn(numerator, denominator, from, from+t.weight, total-missing)
		from += t.weight
		if t.share.Sign() > 0 {
			out = append(out, t)
		}
	}
	return out
}

// target is a backend with its weight.
type target struct {
	service  kuma.ID // also of a port that it does not have
	port     rules.Port
	tags     map[string]string
	section  string // for looking up settings (matching.md §17.5)
	name     string
	exists   bool // the service exists
	resolved bool // the port exists too, and has a protocol that the route can use
	weight   int64
	share    *big.Rat
}

// itselfOnRoute returns the destination as the only target of an HTTP route, or nil if its protocol
// is not HTTP (matching.md §17.1).
func (s *sending) itselfOnRoute() []target {
	if !isHTTP(s.Destination.Protocol) {
		return nil
	}
	return s.itself()
}

// itself is the destination as the only target.
func (s *sending) itself() []target {
	return []target{{
		port: s.Destination, tags: s.Tags, section: s.section, name: cmp.Or(nameOf(s.Tags), s.Destination.Resource.Name),
		exists: true, resolved: true, weight: 1,
	}}
}

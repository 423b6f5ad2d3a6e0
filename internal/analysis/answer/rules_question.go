package answer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// RulesQuestion is which effective rules [OfEffectiveRules] returns. Exactly one of Dataplane and
// Dataplanes is set.
type RulesQuestion struct {
	Dataplane   string
	Dataplanes  *rules.DataplaneSelector
	Kinds       []string // of policies, all if there are none
	Include     []string // of [LongAttributes], or of [LongGroupAttributes] for several proxies
	Defaults    bool
	Destination *Destination // nil for all
	Complete    bool         // without the limits of groups
}

// Destination identifies the destination of outgoing traffic.
type Destination struct {
	Kind    string // of [rules.DestinationKinds]; empty for any
	Name    string
	Labels  map[string]string
	Section string
	Route   string // its name or KRI
}

// ArgumentError is what is wrong with an argument of a question.
type ArgumentError struct {
	Argument []string // its path of names
	Summary  string
	Detail   string
}

func (e *ArgumentError) Error() string { return e.Detail }

func argumentError(argument []string, summary, format string, args ...any) error {
	return &ArgumentError{argument, summary, fmt.Sprintf(format, args...)}
}

// LongAttributes are computed only if they are included.
func LongAttributes() []string { return []string{"rules", "explain", "json"} }

// LongGroupAttributes are the long attributes of a group of proxies.
func LongGroupAttributes() []string { return []string{"conf"} }

const summaryConflict = "Conflicting arguments"

// Check returns what is wrong with a question, independently of a mesh.
func (q RulesQuestion) Check() error {
	problems := []error{q.checkProxies()}
	known := LongAttributes()
	if q.Dataplanes != nil {
		known = LongGroupAttributes()
	}
	for _, name := range q.Include {
		if !slices.Contains(known, name) {
			problems = append(problems, argumentError([]string{"include"}, "Invalid value for include", "%q is not valid. Valid values: %s.%s", name,
				phrase.Or(known...), phrase.Suggest(name, known)))
		}
	}
	problems = append(problems, CheckTypes(q.Kinds))
	if q.Destination != nil {
		problems = append(problems, q.Destination.check())
	}
	return errors.Join(problems...)
}

// checkProxies returns which arguments that select proxies are missing or conflict.
func (q RulesQuestion) checkProxies() error {
	switch {
	case q.Dataplanes != nil && q.Dataplane != "":
		return argumentError([]string{"dataplanes"}, summaryConflict,
			"dataplanes conflicts with dataplane and proxy. Set only one of the three: "+
				"dataplane or proxy for a single proxy, dataplanes for several.")
	case q.Dataplanes != nil && q.Destination != nil:
		return argumentError([]string{"destination"}, summaryConflict,
			"destination conflicts with dataplanes, because it requires a single proxy. Remove destination, or set dataplane instead of dataplanes.")
	case q.Dataplanes != nil && q.Defaults:
		return argumentError([]string{"defaults"}, summaryConflict,
			"defaults conflicts with dataplanes, because it requires a single proxy. Remove defaults, or set dataplane instead of dataplanes.")
	default:
		return nil
	}
}

// CheckTypes returns which of some kinds are not kinds of policies.
func CheckTypes(types []string) error {
	known := kinds.PolicyTypes()
	var problems []error
	for _, kind := range types {
		if slices.Contains(known, kind) {
			continue
		}
		suggestion := ""
		if _, ok := kinds.Find(kind); !ok { // one of another sort is not misspelled
			suggestion = phrase.Suggest(kind, known)
		}
		problems = append(problems, argumentError([]string{"types"}, "Invalid policy kind", "%q is not a kind of policy. Valid values: %s.%s",
			kind, phrase.Or(known...), suggestion))
	}
	return errors.Join(problems...)
}

func (d Destination) check() error {
	allowed := rules.DestinationKinds()
	switch {
	case d.Kind != "" && !slices.Contains(allowed, d.Kind):
		return argumentError([]string{"destination", "kind"}, "Invalid destination kind", "%q is not a kind of destination. Valid values: %s.%s",
			d.Kind, phrase.Or(allowed...), phrase.Suggest(d.Kind, allowed))
	case d.Name == "" && len(d.Labels) == 0:
		return argumentError([]string{"destination"}, "Missing destination name",
			"A destination requires name, or labels that exactly one resource has.")
	default:
		return nil
	}
}

// OfEffectiveRules returns what the policies of a mesh mean for the proxies of a question. Errors
// are one or several of [ArgumentError], [rules.ErrUnknownMesh] and [rules.ErrUnknownDataplane].
func OfEffectiveRules(m input.Mesh, q RulesQuestion) (EffectiveRules, error) {
	if err := q.Check(); err != nil {
		return EffectiveRules{}, err
	}
	s, caveat := m.Snapshot()
	if q.Dataplanes != nil {
		if err := CheckService(s, m.Name, q.Dataplanes.Service); err != nil {
			return EffectiveRules{}, err
		}
		names, err := s.SelectDataplanes(m.Name, *q.Dataplanes)
		if err != nil {
			return EffectiveRules{}, err
		}
		return ofGroups(m, s, caveat, names, q)
	}
	a, err := s.Dataplane(m.Name, q.Dataplane, q.Kinds...)
	if err != nil {
		return EffectiveRules{}, err
	}
	var to *rules.Destination
	var ignoredRoute string
	if q.Destination != nil {
		if to, ignoredRoute, err = q.Destination.find(s, m.Name, q.Dataplane); err != nil {
			return EffectiveRules{}, err
		}
	}
	found, err := ofRules(m, s, caveat, a, q, to)
	if found.IgnoredRoute = ignoredRoute; ignoredRoute != "" {
		found.Warnings = append([]string{ignoredRoute}, found.Warnings...)
	}
	return found, err
}

// CheckService returns an error if a mesh of a snapshot has no service of proxies with a name, which
// is empty for none.
func CheckService(s *rules.Snapshot, mesh, service string) error {
	if service == "" || len(s.Candidates(mesh, kuma.KindMeshService, service, nil)) > 0 || s.HasServiceTag(mesh, service) {
		return nil
	}
	names := phrase.Each(s.Candidates(mesh, kuma.KindMeshService, "", nil), func(c rules.Candidate) string { return c.Name })
	known := "The mesh has no resources of kind MeshService."
	if len(names) > 0 {
		const most = 10
		known = fmt.Sprintf("Services of the mesh: %s.%s", phrase.Some(names, most, ""), phrase.Suggest(service, names))
	}
	return argumentError([]string{"dataplanes", "service"}, "Service not found",
		"No stored or planned MeshService of mesh %q is named %q, and no proxy has the tag %s=%s. %s", mesh, service, kuma.TagService, service,
		known)
}

// find returns the destination in a mesh of a snapshot, and a warning about its route if the route
// does not select the proxy and is ignored.
func (d Destination) find(s *rules.Snapshot, mesh, proxy string) (found *rules.Destination, ignoredRoute string, err error) {
	all, what := rules.DestinationKinds(), "destination"
	if d.Kind != "" {
		all, what = []string{d.Kind}, d.Kind
	}
	candidates, others := candidatesOf(s, mesh, all, d.Name, d.Labels)
	found = &rules.Destination{}
	isTag := slices.Contains(all, kuma.KindMeshService) && len(d.Labels) == 0 && !s.Exclusive(mesh) && s.HasServiceTag(mesh, d.Name)
	switch {
	case len(candidates) == 1:
		c := candidates[0]
		found.Resource, found.Section = c.ID(), d.Section
		if d.Section != "" && !slices.Contains(c.Ports, d.Section) {
			err = argumentError([]string{"destination", "section_name"}, "Port not found",
				"%s %q has no port %q. Its ports: %s.%s", c.Type, c.Name, d.Section, cmp.Or(phrase.And(c.Ports...), "none"),
				phrase.Suggest(d.Section, c.Ports))
		}
	case len(candidates) > 1:
		err = argumentError([]string{"destination"}, "Ambiguous destination",
			"%d resources of kind %s match: %s. Set kind, labels that only one of them has, or name to one of these identifiers.",
			len(candidates), phrase.Or(all...), identified(candidates))
	case isTag:
		found.Tags = map[string]string{kuma.TagService: d.Name}
	default:
		err = argumentError([]string{"destination"}, "Destination not found",
			"No stored or planned %s of mesh %q has %s. %s", what, mesh, d.described(),
			inMesh("resources of kind "+phrase.Or(all...), others, d.Name))
	}
	if d.Route == "" {
		return found, "", err
	}
	var errRoute error
	found.Route, found.RouteSection, ignoredRoute, errRoute = d.findRoute(s, mesh, proxy)
	return found, ignoredRoute, errors.Join(err, errRoute)
}

// candidatesOf returns the resources of kinds with a name, or an identifier, and labels, and all of these kinds.
func candidatesOf(s *rules.Snapshot, mesh string, of []string, name string, labels map[string]string) (found, all []rules.Candidate) {
	for _, kind := range of {
		found = append(found, s.Candidates(mesh, kind, name, labels)...)
		all = append(all, s.Candidates(mesh, kind, "", nil)...)
	}
	if _, err := kuma.ParseKRI(name); err == nil {
		found = slices.DeleteFunc(slices.Clone(all), func(c rules.Candidate) bool { return kinds.KRI(c.ID()) != name })
	}
	return found, all
}

// described returns the name and labels of the destination for a message.
func (d Destination) described() string {
	var parts []string
	if d.Name != "" {
		parts = append(parts, fmt.Sprintf("the name %q", d.Name))
	}
	if len(d.Labels) > 0 {
		parts = append(parts, "the labels "+phrase.Pairs(d.Labels))
	}
	return phrase.And(parts...)
}

// findRoute returns the route and its section, or a warning instead if the route does not select
// the proxy.
func (d Destination) findRoute(s *rules.Snapshot, mesh, proxy string) (route kuma.ID, section, ignored string, err error) {
	at := []string{"destination", "route"}
	id, errKRI := kuma.ParseKRI(d.Route)
	section, id.Section = id.Section, ""
	name := d.Route
	if errKRI == nil {
		name = id.String()
	}
	found, all := candidatesOf(s, mesh, rules.RouteKinds(), name, nil)
	switch len(found) {
	case 1:
	case 0:
		return route, "", "", argumentError(at, "Route not found", "Route %q is neither stored nor planned in mesh %q. %s",
			d.Route, mesh, inMesh("routes", all, d.Route))
	default:
		return route, "", "", argumentError(at, "Ambiguous route", "%q matches %s. Set route to the identifier of one of them.", d.Route,
			identified(found))
	}
	switch excluded, err := s.Excluded(found[0].Key(), proxy); {
	case err != nil:
		return route, "", "", err
	case excluded != rules.NotExcluded:
		return route, "", fmt.Sprintf("%s %q does not select Dataplane %q, so destination_conf contains what applies without the route.",
			found[0].Type, found[0].Name, proxy), nil
	}
	return found[0].ID(), section, "", nil
}

// inMesh says which candidates a mesh has, and which of them a name may mean.
func inMesh(what string, candidates []rules.Candidate, name string) string {
	if len(candidates) == 0 {
		return fmt.Sprintf("The mesh has no %s.", what)
	}
	described := phrase.Each(candidates, func(c rules.Candidate) string { return kuma.Describe(c.Type, c.Name, "") })
	names := phrase.Each(candidates, func(c rules.Candidate) string { return c.Name })
	return fmt.Sprintf("The mesh has %s.%s", phrase.Some(described, mostCandidates, ""), phrase.Suggest(name, names))
}

// mostCandidates is how many candidates a message lists.
const mostCandidates = 5

// identified lists the identifiers of candidates, only a few of them if there are many.
func identified(candidates []rules.Candidate) string {
	return phrase.Some(phrase.Each(candidates, func(c rules.Candidate) string { return kinds.KRI(c.ID()) }), mostCandidates, "")
}

// Explained are proxies with the same rules, and what these are as text.
type Explained struct {
	Dataplanes  []string
	Explanation string
}

// Explain explains the rules of all proxies of a mesh, once for equal ones.
func Explain(m input.Mesh) ([]Explained, error) {
	s, _ := m.Snapshot()
	groups, err := digest.Groups(s, m.Name, s.Dataplanes(m.Name))
	if err != nil {
		return nil, err
	}
	out := make([]Explained, len(groups))
	for i, g := range groups {
		a, err := s.Dataplane(m.Name, g.Dataplanes[0])
		if err != nil {
			return nil, err
		}
		found, err := ofRules(m, s, "", a, RulesQuestion{Dataplane: g.Dataplanes[0]}, nil)
		if err != nil {
			return nil, err
		}
		out[i] = Explained{g.Dataplanes, found.Explanation}
	}
	return out, nil
}

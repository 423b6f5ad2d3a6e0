package def

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// allowedMembers says what a reference of one kind may hold (validation.md §5.1).
type allowedMembers struct {
	name      presence
	labels    bool // instead of name
	namespace bool // next to name
	others    []string
	unchecked bool // the control plane looks at nothing
}

type presence int

const (
	never presence = iota
	optional
	required
)

var referenceMembers = map[string]allowedMembers{
	kuma.KindMesh:                 {others: []string{"proxyTypes"}},
	kuma.KindMeshSubset:           {others: []string{"tags", "proxyTypes"}},
	kuma.KindMeshService:          {name: required, labels: true, namespace: true, others: []string{"sectionName"}},
	kuma.KindMeshExternalService:  {name: required, labels: true, namespace: true},
	kuma.KindMeshHTTPRoute:        {name: required, labels: true, namespace: true},
	kuma.KindMeshServiceSubset:    {name: required, others: []string{"tags"}},
	kuma.KindMeshGateway:          {name: required, others: []string{"tags"}},
	kuma.KindDataplane:            {name: optional, labels: true, namespace: true, others: []string{"sectionName"}},
	kuma.KindMeshMultiZoneService: {unchecked: true},
}

// ProxyTypes are the values of a reference's proxyTypes.
func ProxyTypes() []string { return []string{"Sidecar", "Gateway"} }

// TargetRef describes the members of a reference that takes the given kinds.
// extra members are those that one place adds to all references, such as the
// weight of a backend.
func TargetRef(kinds []string, extra ...Field) Object {
	return append(Object{
		{Name: "kind", Type: String, Required: true, Doc: "Kind of object that the reference points at: " + phrase.Or(phrase.Code(kinds)...) + ".", Checks: Checks(referenceKind(kinds))},
		{Name: "name", Type: String, Doc: "Name of the object: its display name, in the zone of the policy itself. Not together with `labels`."},
		{Name: "namespace", Type: String, EmptyIsAbsent: true, Design: Checks(KubernetesOnly()), Doc: "Kubernetes namespace of the object, next to `name`. On universal it makes the reference match nothing."},
		{Name: "labels", Type: StringMap{}, Doc: "Selects every object that carries all these labels. Not together with `name` or `namespace`. Outside Kubernetes, an object has the label `kuma.io/display-name` only if you set it."},
		{Name: "tags", Type: StringMap{}, Doc: "Tags that narrow the selection; for MeshGateway those of its listeners. Only with MeshSubset, MeshServiceSubset and MeshGateway."},
		{Name: "sectionName", Type: String, Doc: "Name of one port of the object; for a port without a name, its number. For Dataplane one inbound."},
		{Name: "proxyTypes", Type: List{String}, OneOf: ProxyTypes(), Doc: "Limits the selection to sidecars or to gateways. Only with Mesh and MeshSubset; both when unset."},
		{Name: "mesh", Type: String, Doc: "Reserved: the control plane refuses it for every kind but MeshMultiZoneService, where it has no effect."},
	}, extra...)
}

func referenceKind(allowed []string) Check {
	return Check{Test: func(n tree.Node) []Problem {
		kind, ok := n.Text()
		if !ok || slices.Contains(allowed, kind) {
			return nil
		}
		if _, exists := referenceMembers[kind]; !exists {
			p := ErrorAt(n, "Unknown kind of reference", fmt.Sprintf("%q is no kind of reference. This one takes %s.%s", kind, phrase.Or(allowed...), phrase.Suggest(kind, allowed)))
			if kind == kuma.KindMeshTCPRoute {
				p = ErrorAt(n, "MeshTCPRoute cannot be referenced", fmt.Sprintf("The design of Kuma has settings per MeshTCPRoute, and no release up to 2.14 takes them. This reference takes %s. Refer to the service that the route is for.", phrase.Or(allowed...)))
			}
			p.Stage = Schema
			return []Problem{p}
		}
		return []Problem{kindNotAllowed(n, kind, allowed)}
	}}
}

// kindNotAllowed is the problem of a reference whose kind exists, but is not
// taken in this place.
func kindNotAllowed(n tree.Node, kind string, allowed []string) Problem {
	return ErrorAt(n, kind+" cannot be referenced here", fmt.Sprintf("This reference takes %s, not %s. Choose one of them, or move the settings to a policy whose reference takes %s.", phrase.Or(allowed...), kind, kind)).Instead(n.Path.Parent())
}

// ReferenceMembers checks that a reference holds the members that its kind
// takes, and no others.
func ReferenceMembers() Check {
	return Check{Test: func(n tree.Node) []Problem {
		kind, ok := n.Get("kind").Text()
		rule, exists := referenceMembers[kind]
		if !ok || !exists || rule.unchecked {
			return nil
		}
		return append(rule.notTaken(kind, n), rule.selector(kind, n)...)
	}}
}

// KubernetesOnly warns of the namespace of an object in a document that does not
// come from Kubernetes, because no object has one elsewhere (validation.md §10).
func KubernetesOnly() Check {
	return Check{Test: func(n tree.Node) []Problem {
		if !n.Filled() || !n.Root().Get("labels", kuma.LabelK8sNamespace).Absent() {
			return nil
		}
		return []Problem{WarningAt(n, "Outside Kubernetes this selects nothing", "Objects have a namespace only if they come from Kubernetes, and a reference with one fits no others. Remove it, unless the object is in a Kubernetes zone.")}
	}}
}

// UncheckedMembers warns of what has no meaning in a reference that a control
// plane looks at only when it builds the configuration of proxies
// (validation.md §5.1).
func UncheckedMembers() Check {
	return Check{Test: func(n tree.Node) []Problem {
		kind, _ := n.Get("kind").Text()
		if !referenceMembers[kind].unchecked {
			return nil
		}
		var problems []Problem
		if n.Get("name").Empty() && n.Get("labels").Empty() {
			problems = append(problems, WarningAt(n, "name or labels is missing", fmt.Sprintf("A reference of kind %s without either means no object. Add one of them.", kind)))
		}
		for _, member := range []string{"tags", "proxyTypes", "mesh"} {
			if m := n.Get(member); m.Filled() {
				problems = append(problems, WarningAt(m, member+" has no effect", fmt.Sprintf("A reference of kind %s works with name or labels, and sectionName. Remove %s.", kind, member)))
			}
		}
		return problems
	}}
}

func (m allowedMembers) takes(member string) bool {
	switch member {
	case "name":
		return m.name != never
	case "labels":
		return m.labels
	case "namespace":
		return m.namespace
	default:
		return slices.Contains(m.others, member)
	}
}

func (m allowedMembers) notTaken(kind string, n tree.Node) []Problem {
	var problems []Problem
	taken := []string{"kind"}
	all := []string{"name", "namespace", "labels", "tags", "sectionName", "proxyTypes", "mesh"}
	for _, member := range all {
		if m.takes(member) {
			taken = append(taken, member)
		}
	}
	for _, member := range all {
		c := n.Get(member)
		switch {
		case c.Unknown(), c.Empty(), m.takes(member):
		default:
			problems = append(problems, ErrorAt(c, member+" cannot be set with "+kind, fmt.Sprintf("A reference of kind %s takes %s. Remove %s, or choose another kind.", kind, phrase.And(taken...), member)))
		}
	}
	return problems
}

var (
	refName    = regexp.MustCompile(`^[0-9a-z._-]+$`)
	tagKey     = regexp.MustCompile(`^[A-Za-z0-9._:/-]+$`)
	tagValue   = regexp.MustCompile(`^[A-Za-z0-9._:-]+$`)
	tagPattern = regexp.MustCompile(`^([A-Za-z0-9._:/-]+|\*)$`)
)

func (m allowedMembers) selector(kind string, n tree.Node) []Problem {
	name, labels, namespace := n.Get("name"), n.Get("labels"), n.Get("namespace")
	var problems []Problem
	if m.labels && labels.Filled() && (name.Filled() || namespace.Filled()) {
		problems = append(problems, ErrorAt(labels, "labels exclude name and namespace", fmt.Sprintf("A reference to a %s is either by name (and namespace) or by labels. Remove one of them.", kind)))
	}
	if m.name == required && name.Empty() && (!m.labels || labels.Empty()) {
		at, what := name, "name"
		if m.labels {
			at, what = n, "name or labels"
		}
		problems = append(problems, ErrorAt(at, what+" is missing", fmt.Sprintf("A reference of kind %s needs %s to say which one it means.", kind, what)))
	}
	if s, ok := name.Text(); ok && s != "" && m.takes("name") && kind != kuma.KindDataplane && !refName.MatchString(s) {
		problems = append(problems, ErrorAt(name, "Invalid name in a reference", fmt.Sprintf("%q holds characters that no name has: use lower case letters, digits, \"-\", \".\" and \"_\".", s)))
	}
	if types := n.Get("proxyTypes"); m.takes("proxyTypes") && types.Known() && types.Empty() {
		problems = append(problems, ErrorAt(types, "proxyTypes is empty", "An empty list would select no proxy. Leave proxyTypes out to select all of them, or list Sidecar or Gateway."))
	}
	if m.takes("tags") {
		tags := TagPatterns()
		if kind == kuma.KindMeshSubset {
			tags = TagValues()
		}
		problems = append(problems, tags.Test(n.Get("tags"))...)
	}
	return problems
}

// TagValues checks the names and values of tags that an object carries.
func TagValues() Check {
	return checkTags(tagValue, "use letters, digits, \".\", \"-\", \"_\" and \":\", at least one.")
}

// TagPatterns checks the names and values of tags that an object is selected by.
func TagPatterns() Check {
	return checkTags(tagPattern, "use letters, digits, \".\", \"-\", \"_\", \":\" and \"/\", at least one, or \"*\".")
}

// checkTags checks tags; null as a value is an empty text.
func checkTags(values *regexp.Regexp, allowed string) Check {
	return Check{Test: func(n tree.Node) []Problem {
		var problems []Problem
		for _, tag := range n.Entries() {
			if !tagKey.MatchString(tag.Key()) {
				problems = append(problems, ErrorAt(tag, "Invalid tag name", fmt.Sprintf("%q is not a tag name: use letters, digits, \".\", \"-\", \"_\", \":\" and \"/\".", tag.Key())))
			}
			if value, ok := tag.Text(); (ok || tag.Absent()) && !values.MatchString(value) {
				problems = append(problems, ErrorAt(tag, "Invalid tag value", fmt.Sprintf("Tag %q is %q: %s", tag.Key(), value, allowed)))
			}
		}
		return problems
	}}
}

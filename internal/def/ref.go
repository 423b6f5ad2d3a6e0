package def

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// allowedFields are the fields that a reference of one kind may have
// (validation.md §5.1).
type allowedFields struct {
	name      presence
	labels    bool // instead of name
	namespace bool // next to name
	others    []string
	unchecked bool // the control plane checks nothing
}

type presence int

const (
	never presence = iota
	optional
	required
)

var referenceFields = map[string]allowedFields{
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

// NotUsedHere begins the documentation of a field that no kind of a reference can set. The
// pages omit it.
const NotUsedHere = "Not used here."

// TargetRef describes the fields of a reference that accepts the given kinds.
// extra are additional fields, such as the weight of a backend.
func TargetRef(kinds []string, extra ...Field) Object {
	fields := Object{
		{
			Name: "kind", Type: String, Required: true, RemovedOf: removedKinds,
			Doc: "Kind of the [object](../guides/common-arguments.md#references).", Checks: Checks(referenceKind(kinds, removedKinds)),
		},
		{
			Name: "name", Type: String, DropsEmpty: kuma.Before("2.10"),
			Removed: RemovedIn3("Use labels, such as kuma.io/display-name with the name."),
			Doc:     "Display name of the object. Conflicts with `labels`.",
		},
		{
			Name: "namespace", Type: String, DropsEmpty: kuma.Before("2.10"), EmptyIsAbsent: true,
			Removed: RemovedIn3("Use the label k8s.kuma.io/namespace."), Design: Checks(KubernetesOnly()),
			Doc: "Kubernetes namespace of the object.",
		},
		{Name: "labels", Type: StringMap{}, DropsEmpty: kuma.Before("2.10"), Doc: "Labels of the objects."},
		{
			Name: "tags", Type: StringMap{}, DropsEmpty: kuma.Before("2.10"), Removed: RemovedIn3("Kuma 3.0 has no tags. Use labels."),
			Doc: "Tags of the objects.",
		},
		{
			Name: "sectionName", Type: String, DropsEmpty: kuma.Before("2.10"),
			Doc: "Name of a port or an inbound, or its number if it has no name.",
		},
		{
			Name: "proxyTypes", Type: List{String}, OneOf: ProxyTypes(),
			Removed: RemovedIn3("Use kind Dataplane with labels that only these proxies have."), Doc: "Types of the proxies. Defaults to both.",
		},
		{Name: "mesh", Type: String, DropsEmpty: kuma.Before("2.10"), Removed: RemovedIn3("Remove it."), Doc: NotUsedHere},
	}
	for i, f := range fields[1:] {
		users := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return !usesField(kind, f.Name) })
		if len(users) == 0 {
			fields[i+1].Doc = NotUsedHere
		}
	}
	return append(fields, extra...)
}

// usesField reports whether a field has an effect in a reference of a kind.
func usesField(kind, field string) bool {
	rule := referenceFields[kind]
	if rule.unchecked {
		return slices.Contains([]string{"name", "labels", "sectionName"}, field)
	}
	return rule.takes(field)
}

// removedKinds are the kinds that no reference of Kuma 3.0 accepts.
var removedKinds = map[string]Removal{
	kuma.KindMeshSubset:        RemovedIn3("Kuma 3.0 has no tags. Use kind Dataplane with labels that these proxies have."),
	kuma.KindMeshServiceSubset: RemovedIn3("Kuma 3.0 has no tags. Use kind MeshService with labels."),
	kuma.KindMeshGateway:       RemovedIn3("Kuma 3.0 has no builtin gateways. Use kind Dataplane with the labels of the gateway."),
}

// RemovesKinds returns the fields of a reference of which a release removed kinds, besides
// those that no reference accepts any more.
func (o Object) RemovesKinds(removed map[string]Removal) Object {
	o = slices.Clone(o)
	o[0].RemovedOf, o[0].Checks = removed, Checks(referenceKind(o[0].Values(), removed))
	return o
}

func referenceKind(allowed []string, removed map[string]Removal) Check {
	valid := listValid(allowed, removed, slices.Clone)
	return Check{Values: allowed, Test: func(n tree.Node) []Problem {
		kind, ok := n.Text()
		if !ok || slices.Contains(allowed, kind) {
			return nil
		}
		if _, exists := referenceFields[kind]; !exists {
			p := ErrorAt(n, "Invalid reference kind",
				fmt.Sprintf("%q is not a valid kind for this reference. Valid kinds: %s.%s", kind, valid, phrase.Suggest(kind, allowed)))
			if kind == kuma.KindMeshTCPRoute {
				p = ErrorAt(n, "MeshTCPRoute cannot be referenced",
					fmt.Sprintf("Kuma's design has settings per MeshTCPRoute, but no release of Kuma accepts them. Valid kinds: %s. "+
						"Refer to the service of the route instead.", valid))
			}
			p.Stage = Schema
			return []Problem{p}
		}
		return []Problem{kindNotAllowed(n, kind, allowed, valid)}
	}}
}

// kindNotAllowed is the problem of a reference whose kind exists but is not
// accepted here.
func kindNotAllowed(n tree.Node, kind string, allowed []string, valid string) Problem {
	only := "The only valid kind for this reference is"
	if len(allowed) > 1 {
		only = "Valid kinds for this reference are"
	}
	return ErrorAt(n, kind+" cannot be referenced here",
		fmt.Sprintf("%s %s, not %s. %s", only, valid, kind, whereKindBelongs(n.Path, kind, allowed))).Instead(n.Path.Parent())
}

// whereKindBelongs says where a policy refers to a kind that the reference with the
// kind at a path does not accept.
func whereKindBelongs(at tree.Path, kind string, allowed []string) string {
	selectsProxies := slices.Contains([]string{kuma.KindDataplane, kuma.KindMeshSubset, kuma.KindMeshGateway}, kind)
	isDestination := slices.Contains([]string{kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService}, kind)
	switch section := at[min(1, len(at)-1)]; {
	case section == "to" && selectsProxies:
		return "\"to\" is for destinations. To select the proxies, set spec.targetRef."
	case section == "to" && len(allowed) == 1:
		return "To apply the settings to requests that a service receives, select the proxies of the service in " +
			"spec.targetRef, and use \"rules\"."
	case section == "targetRef" && isDestination:
		return "It selects the proxies that get the settings. To refer to a destination, add an entry to \"to\"."
	}
	return fmt.Sprintf("Use one of them, or move the settings to a policy that accepts %s here.", kind)
}

// ReferenceFields checks that a reference has only the fields that its kind
// accepts, and the required ones.
func ReferenceFields() Check {
	return Check{ByRelease: referenceByRelease, Test: func(n tree.Node) []Problem {
		kind, ok := n.Get("kind").Text()
		rule, exists := referenceFields[kind]
		if !ok || !exists || rule.unchecked {
			return nil
		}
		return append(rule.notTaken(kind, n), rule.selector(kind, n)...)
	}}
}

// referenceByRelease rejects what only some releases reject.
func referenceByRelease(n tree.Node, r kuma.Release) []Problem {
	return append(sectionBesideLabels(n, r), selectedByLabels(n, r)...)
}

// selectedByLabels rejects a reference to an object without labels since 3.0, which
// knows no other selection. A name is reported by itself.
func selectedByLabels(n tree.Node, r kuma.Release) []Problem {
	kind, _ := n.Get("kind").Text()
	labels := n.Get("labels")
	selects := (referenceFields[kind].labels || referenceFields[kind].unchecked) && kind != kuma.KindDataplane
	return ErrorIf(selects && r.Kuma3() && labels.Empty() && !n.Get("name").Filled(), labels, "labels is missing",
		"Since Kuma 3.0 a reference of kind %s must set labels, and the control plane runs %s. Set at least one.", kind, r)
}

// sectionBesideLabels rejects the section of a service that is selected by labels on
// releases before 2.10, which do not have the other kind with both (versions.md §4).
func sectionBesideLabels(n tree.Node, r kuma.Release) []Problem {
	const since = "2.10"
	kind, _ := n.Get("kind").Text()
	section := n.Get("sectionName")
	return ErrorIf(!r.Has(since) && kind == kuma.KindMeshService && section.Filled() && n.Get("labels").Filled(), section,
		"sectionName conflicts with labels",
		"A reference can combine sectionName and labels since Kuma %s, and the control plane runs %s. "+
			"Select the service by name, remove sectionName, or upgrade the control plane.", since, r)
}

// KubernetesOnly warns about the namespace of a reference in a document that
// does not come from Kubernetes, because other objects do not have a namespace
// (validation.md §10).
func KubernetesOnly() Check {
	return Check{Test: func(n tree.Node) []Problem {
		return WarningIf(n.Filled() && n.Root().Get("labels", kuma.LabelK8sNamespace).Absent(), n, "Namespace matches nothing outside Kubernetes",
			"Only objects from Kubernetes have a namespace, so a reference with a namespace matches no other objects. "+
				"Remove it unless the object is in a Kubernetes zone.")
	}}
}

// UncheckedFields warns about fields without effect in a reference that a
// control plane evaluates only when it generates the configuration of proxies
// (validation.md §5.1).
func UncheckedFields() Check {
	return Check{Test: func(n tree.Node) []Problem {
		kind, _ := n.Get("kind").Text()
		if !referenceFields[kind].unchecked {
			return nil
		}
		var problems []Problem
		if n.Get("name").Empty() && n.Get("labels").Empty() {
			problems = append(problems, WarningAt(n, "Missing name or labels",
				fmt.Sprintf("A reference of kind %s must set name or labels. Without them it matches nothing.", kind)))
		}
		for _, field := range []string{"tags", "proxyTypes", "mesh"} {
			if m := n.Get(field); m.Filled() {
				problems = append(problems, WarningAt(m, field+" has no effect",
					fmt.Sprintf("A reference of kind %s uses only name, labels and sectionName. Remove %s.", kind, field)))
			}
		}
		return problems
	}}
}

func (m allowedFields) takes(field string) bool {
	switch field {
	case "name":
		return m.name != never
	case "labels":
		return m.labels
	case "namespace":
		return m.namespace
	default:
		return slices.Contains(m.others, field)
	}
}

func (m allowedFields) notTaken(kind string, n tree.Node) []Problem {
	var problems []Problem
	taken := []string{"kind"}
	all := []string{"name", "namespace", "labels", "tags", "sectionName", "proxyTypes", "mesh"}
	for _, field := range all {
		if m.takes(field) && field != "proxyTypes" { // which only some references of a kind can set
			taken = append(taken, field)
		}
	}
	takes := "can set " + phrase.And(taken...)
	if len(taken) == 1 {
		takes = "needs only " + taken[0]
	}
	for _, field := range all {
		c := n.Get(field)
		switch {
		case c.Unknown(), c.Empty(), m.takes(field):
		default:
			problems = append(problems, ErrorAt(c, field+" cannot be set with "+kind,
				fmt.Sprintf("A reference of kind %s %s. Remove %s, or use another kind.", kind, takes, field)))
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

func (m allowedFields) selector(kind string, n tree.Node) []Problem {
	name, labels, namespace := n.Get("name"), n.Get("labels"), n.Get("namespace")
	var problems []Problem
	if m.labels && labels.Filled() && (name.Filled() || namespace.Filled()) {
		problems = append(problems, ErrorAt(labels, "labels conflicts with name and namespace",
			fmt.Sprintf("A reference to a %s must use either name (with an optional namespace) or labels. Remove one of them.", kind)))
	}
	if m.name == required && name.Empty() && (!m.labels || labels.Empty()) {
		p := ErrorAt(name, "name is missing", fmt.Sprintf("A reference of kind %s must set name.", kind))
		if m.labels {
			p = ErrorAt(n, "name or labels is missing", fmt.Sprintf("A reference of kind %s must set labels or, before Kuma 3.0, name.", kind))
		}
		problems = append(problems, p)
	}
	if s, ok := name.Text(); ok && s != "" && m.takes("name") && kind != kuma.KindDataplane && !refName.MatchString(s) {
		problems = append(problems, ErrorAt(name, "Invalid name in reference",
			fmt.Sprintf("%q is not a valid name. It must consist of lowercase letters, digits, \"-\", \".\" and \"_\".", s)))
	}
	if types := n.Get("proxyTypes"); m.takes("proxyTypes") && types.Known() && types.Empty() {
		problems = append(problems, ErrorAt(types, "Empty proxyTypes",
			"An empty list selects no proxy. Omit proxyTypes to select all proxies, or list Sidecar or Gateway."))
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
	return checkTags(tagValue, "It must consist of one or more letters, digits, \".\", \"-\", \"_\" and \":\".")
}

// TagPatterns checks the names and values of tags that an object is selected by.
func TagPatterns() Check {
	return checkTags(tagPattern, "It must be \"*\", or consist of one or more letters, digits, \".\", \"-\", \"_\", \":\" and \"/\".")
}

// checkTags checks tags; null as a value is an empty string.
func checkTags(values *regexp.Regexp, allowed string) Check {
	return Check{Test: func(n tree.Node) []Problem {
		var problems []Problem
		for _, tag := range n.Entries() {
			if !tagKey.MatchString(tag.Key()) {
				problems = append(problems, ErrorAt(tag, "Invalid tag name",
					fmt.Sprintf("%q is not a valid tag name. It must consist of letters, digits, \".\", \"-\", \"_\", \":\" and \"/\".", tag.Key())))
			}
			if value, ok := tag.Text(); (ok || tag.Absent()) && !values.MatchString(value) {
				problems = append(problems, ErrorAt(tag, "Invalid tag value",
					fmt.Sprintf("Tag %q has the invalid value %q. %s", tag.Key(), value, allowed)))
			}
		}
		return problems
	}}
}

package def

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// envUniversal is the value of kuma.io/env outside Kubernetes.
const envUniversal = "universal"

// proxyLabels contains the releases in which a control plane sets the labels of proxies
// about their role (rest-api.md §20, release3.md §3).
var proxyLabels = map[string]kuma.Releases{
	kuma.LabelProxyType:   kuma.Between("2.10", "3.0"),
	kuma.LabelZoneIngress: kuma.Since("2.14"),
	kuma.LabelZoneEgress:  kuma.Since("2.14"),
}

// Labels returns the labels with which a control plane stores r: those of the
// document, and the computed ones that it lacks (rest-api.md §8). Labels of
// proxies about their role are always overwritten; empty ones are removed.
func (k Kind) Labels(r kuma.Resource, cp kuma.ControlPlane) map[string]string {
	out := maps.Clone(r.Labels)
	if out == nil {
		out = map[string]string{}
	}
	if cp.Release.Kuma3() {
		k.forceLabels(out, r, cp)
	}
	add := func(key, value string) {
		if _, ok := out[key]; !ok {
			out[key] = value
		}
	}
	if cp.Release.NamesResources() {
		add(kuma.LabelDisplayName, r.Name)
	}
	if k.Scope == InMesh {
		add(kuma.LabelMesh, r.Mesh)
	}
	if k.ZoneOwned.Contain(cp.Release) && cp.Mode == kuma.ModeZone {
		add(kuma.LabelOrigin, kuma.OriginZone)
		if out[kuma.LabelOrigin] != kuma.OriginGlobal {
			add(kuma.LabelZone, cp.Zone)
			add(kuma.LabelEnv, envUniversal)
		}
	}
	if k.ProxyLabels != nil {
		for key, value := range k.ProxyLabels(r) {
			switch {
			case !proxyLabels[key].Contain(cp.Release):
			case value == "":
				delete(out, key)
			default:
				out[key] = value
			}
		}
	}
	return out
}

// InZones returns a resource of a global control plane with the labels that zones get with it, by which
// references of their proxies find it (rest-api.md §18).
func InZones(r kuma.Resource, cp kuma.ControlPlane) kuma.Resource {
	if cp.Mode == kuma.ModeGlobal && (r.Labels[kuma.LabelDisplayName] == "" || r.Labels[kuma.LabelOrigin] == "") {
		labels := map[string]string{kuma.LabelDisplayName: r.Name, kuma.LabelOrigin: kuma.OriginGlobal}
		maps.Copy(labels, r.Labels)
		r.Labels = labels
	}
	return r
}

// forceLabels sets the labels that Kuma 3.0 overwrites with every write (release3.md §3).
func (k Kind) forceLabels(labels map[string]string, r kuma.Resource, cp kuma.ControlPlane) {
	labels[kuma.LabelDisplayName] = r.Name
	switch cp.Mode {
	case kuma.ModeZone:
		labels[kuma.LabelOrigin] = kuma.OriginZone
	case kuma.ModeGlobal:
		labels[kuma.LabelOrigin] = kuma.OriginGlobal
	default: // unknown
	}
}

// reservedPrefixes are the prefixes of labels that Kuma 3.0 reserves.
var reservedPrefixes = []string{"kuma.io/", "k8s.kuma.io/"}

const labelKDSSync = "kuma.io/kds-sync"

// settableLabels are the reserved labels that Kuma 3.0 accepts from a client.
var settableLabels = []string{
	kuma.LabelDisplayName, kuma.LabelEffect, kuma.LabelEnv, labelKDSSync, kuma.LabelMesh,
	kuma.LabelOrigin, kuma.LabelPolicyRole, kuma.LabelWorkload, kuma.LabelZone,
}

// ownedLabels are the reserved labels that only a control plane of Kuma 3.0 sets.
var ownedLabels = []string{
	kuma.LabelZoneIngress, kuma.LabelZoneEgress, kuma.LabelManagedBy, kuma.LabelGracePeriod,
	kuma.LabelK8sNamespace, "k8s.kuma.io/service-account", "k8s.kuma.io/service-name", "k8s.kuma.io/is-headless-service",
}

// UnknownLabel reports whether Kuma 3.0 rejects a label whatever its value: it has a reserved
// prefix, and Kuma does not know it.
func UnknownLabel(key string) bool {
	return ReservedLabel(key) && !slices.Contains(settableLabels, key) && !slices.Contains(ownedLabels, key)
}

// ReservedLabel reports whether a label has a prefix that Kuma 3.0 reserves.
func ReservedLabel(key string) bool {
	return slices.ContainsFunc(reservedPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// reservedLabels returns the labels with a reserved prefix that Kuma 3.0 rejects
// (release3.md §3).
func (k Kind) reservedLabels(doc map[string]any, cp kuma.ControlPlane) []Problem {
	root := tree.Root(doc)
	r := kuma.Resource{Type: k.Name, Body: doc}
	r.Name, _ = root.Get("name").Text()
	r.Mesh, _ = root.Get("mesh").Text()
	computed := k.Labels(r, cp)
	var problems []Problem
	for _, n := range root.Get("labels").Entries() {
		value, ok := n.Text()
		if !ok || !ReservedLabel(n.Key()) {
			continue
		}
		if why, stated := k.reservedLabel(n.Key(), value, computed); why != "" {
			p := ErrorAt(n, "Invalid reserved label", why)
			p.Stage = Envelope
			if stated {
				p = p.About(Stated)
			}
			problems = append(problems, p)
		}
	}
	return problems
}

// reservedLabel returns why Kuma 3.0 rejects a label, empty if it does not, and whether
// that is only stated.
func (k Kind) reservedLabel(key, value string, computed map[string]string) (why string, stated bool) {
	oneOf := func(allowed ...string) string {
		if slices.Contains(allowed, value) {
			return ""
		}
		return fmt.Sprintf("The label is set to %q. It must be %s, or be removed.", value, phrase.Or(phrase.Quote(allowed)...))
	}
	expected, isComputed := computed[key]
	switch key {
	case kuma.LabelPolicyRole:
		if k.Policy == nil {
			return "The control plane sets the label on policies only. Remove it.", true
		}
		if value == "" {
			return "", false
		}
		return oneOf(string(kuma.RoleSystem)), false
	case kuma.LabelZone, kuma.LabelMesh: // see [Kind.ValidateLabels]
		if !isComputed {
			return "The control plane does not set the label on such a resource. Remove it.", true
		}
		return "", false
	case kuma.LabelOrigin, kuma.LabelEnv, kuma.LabelDisplayName, kuma.LabelZoneIngress, kuma.LabelZoneEgress:
		switch {
		case !isComputed:
			return "The control plane does not set the label on such a resource. Remove it.", true
		case expected != value:
			return fmt.Sprintf("The label is set to %q, but the control plane sets it to %q. Remove it.", value, expected), true
		}
		return "", false
	case kuma.LabelEffect:
		return oneOf(kuma.EffectShadow), true
	case labelKDSSync:
		return oneOf("enabled", "disabled"), true
	case kuma.LabelWorkload:
		return "", false
	}
	if UnknownLabel(key) {
		why = fmt.Sprintf("Kuma 3.0 does not know the label, and rejects unknown labels that begin with %s. Use a label of your own.",
			strings.Join(reservedPrefixes, " or "))
		if meant, ok := phrase.Misspelled(key, settableLabels); ok {
			why += phrase.Suggest(key, []string{meant})
		}
		return why, true
	}
	return "Only the control plane can set the label. Remove it.", true
}

package def

import (
	"maps"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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

package upgrade

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// labelDataplanes proposes labels beside the tags of Dataplanes, and protocols beside the
// tag kuma.io/protocol (R1).
var labelDataplanes = forEach((*world).labelDataplane, kuma.KindDataplane)

func (w *world) labelDataplane(r kuma.Resource) (out []proposal) {
	labels, conflicts := labelsFromTags(r)
	workload, unseen := w.firstCertificate(r, labels)
	changed := labelled(r.Clone(), labels)
	if protocols := w.setProtocols(changed); len(labels)+len(protocols) > 0 {
		out = append(out, one(changed, rewritten(r, "networking", "K3-091", describeLabels(labels, protocols)))...)
	}
	if workload != nil {
		item := rewritten(r, "labels", "K3-218", describeLabels(workload, nil))
		out = append(out, proposal{put: []kuma.Resource{labelled(changed, workload)}, unseen: unseen, items: []Item{item}})
	}
	if len(conflicts) > 0 {
		out = append(out, w.cannot(r, "networking.inbound", "K3-091",
			"These tags have no equivalent as labels, which apply to all inbounds: "+strings.Join(conflicts, "; ")+".",
			"Name the inbounds, and select them with sectionName.", "Add labels of your own, and select by them.")...)
	}
	return out
}

// firstCertificate removes the workload from the labels of a Dataplane whose MeshIdentity cannot
// give it a certificate without that label, and returns it, and what it changes.
func (w *world) firstCertificate(r kuma.Resource, labels map[string]string) (workload map[string]string, unseen string) {
	value, ok := labels[kuma.LabelWorkload]
	if !ok || w.model(r.Mesh) == nil {
		return nil, ""
	}
	client := w.model(r.Mesh).Client(r.Name)
	invalid, ok := errors.AsType[*kinds.PathError](client.Broken)
	if !ok || invalid.Label != kuma.LabelWorkload {
		return nil, ""
	}
	delete(labels, kuma.LabelWorkload)
	return map[string]string{kuma.LabelWorkload: value},
		"the label kuma.io/workload gives the proxy its first certificate, that of MeshIdentity " + client.Identity.Name +
			". Clients then need a permission. Add the label to some Dataplanes of each service first, and check their clients"
}

func describeLabels(labels map[string]string, protocols []string) string {
	var parts []string
	if len(labels) > 0 {
		parts = append(parts, "labels "+phrase.Pairs(labels))
	}
	if len(protocols) > 0 {
		parts = append(parts, "protocols "+phrase.And(phrase.Sorted(protocols)...))
	}
	return "Has " + phrase.And(parts...) + " beside the tags."
}

// labelsFromTags returns the labels that a Dataplane lacks for its tags, and why a tag has none.
func labelsFromTags(r kuma.Resource) (labels map[string]string, conflicts []string) {
	labels = map[string]string{}
	all := inboundTags(r)
	var keys []string
	for _, tags := range all {
		keys = slices.AppendSeq(keys, maps.Keys(tags))
	}
	for _, key := range phrase.Sorted(keys) {
		label := key
		switch {
		case key == kuma.TagService:
			label = kuma.LabelWorkload
		case def.ReservedLabel(key):
			continue
		}
		values := phrase.Sorted(phrase.Each(all, func(tags map[string]string) string { return tags[key] }))
		value := values[len(values)-1]
		stored, exists := r.Labels[label]
		switch {
		case len(values) > 1:
			conflicts = append(conflicts, fmt.Sprintf("%s differs by inbound", key))
		case exists && stored != value:
			conflicts = append(conflicts, fmt.Sprintf("%s is %s, but the label %s is %s", key, value, label, stored))
		case exists:
		case label == kuma.LabelWorkload && !kuma.IsDNSLabel(value), len(value) > kuma.MaxLabelLength, value != "" && !kuma.IsLabelName(value):
			conflicts = append(conflicts, fmt.Sprintf("%s is %q, which is not a valid value of the label %s", key, value, label))
		default:
			labels[label] = value
		}
	}
	return labels, conflicts
}

// inboundTags returns the tags of each inbound, and of the gateway.
func inboundTags(r kuma.Resource) []map[string]string {
	networking := tree.Root(r.Body).Get("networking")
	all := phrase.Each(networking.Find("inbound[].tags"), func(tags tree.Node) map[string]string { return tree.StringMap(tags.Value()) })
	if gateway := networking.Get("gateway", "tags"); gateway.Known() {
		all = append(all, tree.StringMap(gateway.Value()))
	}
	return all
}

// setProtocols sets the protocols of inbounds that only a tag sets, in stage two also those that
// Kuma 3.0 does not have, and returns them.
func (w *world) setProtocols(r kuma.Resource) []string {
	var set []string
	for _, inbound := range tree.Root(r.Body).Get("networking", "inbound").Items() {
		protocol, _ := inbound.Get("protocol").Text()
		tag, _ := inbound.Get("tags", kuma.TagProtocol).Text()
		want := protocol
		if want == "" {
			want = strings.ToLower(tag)
		}
		if want != "" && !slices.Contains([]string{"tcp", "http", "http2", "grpc"}, strings.ToLower(want)) {
			if !w.final { // it has an effect, as kafka, or the provider rejects it
				continue
			}
			want = "tcp"
		}
		if want != protocol {
			tree.Object(inbound.Value())["protocol"] = want
			set = append(set, want)
		}
	}
	return set
}

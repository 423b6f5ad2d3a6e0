package upgrade

import (
	"encoding/json"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// rewriteCollectors is the rewrite of [referToCollectors].
const rewriteCollectors = "R6"

var telemetryKinds = []string{kinds.MeshAccessLog.Name, kinds.MeshMetric.Name, kinds.MeshTrace.Name}

func isTelemetry(kind string) bool { return slices.Contains(telemetryKinds, kind) }

// referToCollectors proposes a MeshOpenTelemetryBackend for each endpoint of a collector that a
// policy contains (R6). Proxies must not prefer their environment, which they ignore today.
var referToCollectors = forEach((*world).collectors, telemetryKinds...)

func (w *world) collectors(r kuma.Resource) (out []proposal) {
	p := proposal{put: []kuma.Resource{r.Clone()}}
	for _, telemetry := range telemetries(tree.Root(p.put[0].Body)) {
		at := telemetry.Path.Child("endpoint").String()
		endpoint, _ := telemetry.Get("endpoint").Text()
		backend, ok := collector(r.Mesh, endpoint)
		if existing := w.find(backend.Key()); !ok || existing != nil && !tree.Equal(existing.Body, backend.Body) {
			out = append(out, w.cannot(r, at, "K3-051",
				"The endpoint is not an address and a port, or its MeshOpenTelemetryBackend has a name that is taken.",
				"Write a MeshOpenTelemetryBackend by hand.")...)
			continue
		}
		backend.Labels = map[string]string{kuma.LabelDisplayName: backend.Name}
		value := tree.Object(telemetry.Value())
		delete(value, "endpoint")
		value["backendRef"] = map[string]any{"kind": backend.Type, "labels": map[string]any{kuma.LabelDisplayName: backend.Name}}
		p.put = append(p.put, backend)
		p.items = append(p.items, rewritten(r, at, "K3-051", "Refers to "+backend.Key().Local()+
			", which is added, instead of the endpoint. Proxies then send telemetry by way of kuma-dp, of 2.14 or later."))
	}
	return append(out, p)
}

// telemetries returns the settings of OpenTelemetry in a policy that contain an endpoint.
func telemetries(body tree.Node) []tree.Node {
	var found []tree.Node
	for _, path := range []string{"spec.to[].default", "spec.from[].default", "spec.rules[].default", "spec.default"} {
		for _, n := range body.Find(path + ".backends[].openTelemetry") {
			if n.Get("endpoint").Filled() {
				found = append(found, n)
			}
		}
	}
	return found
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// collector returns the MeshOpenTelemetryBackend of an endpoint that consists of an address
// and a port.
func collector(mesh, endpoint string) (kuma.Resource, bool) {
	host, text, err := net.SplitHostPort(endpoint)
	port, numberErr := strconv.Atoi(text)
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(endpoint), "-"), "-")
	backend := kuma.Resource{
		Type: kinds.MeshOpenTelemetryBackend.Name, Mesh: mesh, Name: "otel-" + name,
		Body: map[string]any{"spec": map[string]any{
			"endpoint": map[string]any{"address": host, "port": json.Number(strconv.Itoa(port))}, "env": map[string]any{"mode": "Disabled"},
		}},
	}
	return backend, err == nil && numberErr == nil && host != "" && !strings.Contains(host, "/")
}

// withEndpoints returns a policy with the endpoints of the collectors that it refers to.
func withEndpoints(collectors []kuma.Resource, r kuma.Resource) kuma.Resource {
	refs := slices.DeleteFunc(rules.BackendRefs(r), func(ref rules.BackendRef) bool {
		return ref.Kind != kinds.MeshOpenTelemetryBackend.Name || len(ref.Labels) == 0
	})
	if len(refs) == 0 {
		return r
	}
	changed := r.Clone()
	for _, ref := range refs {
		for _, backend := range collectors {
			address, _ := tree.Root(backend.Spec()).Get("endpoint", "address").Text()
			port, _ := tree.Root(backend.Spec()).Get("endpoint", "port").Int()
			if backend.Mesh == r.Mesh && kuma.HasAll(backend.Labels, ref.Labels) {
				telemetry := tree.Object(tree.At(changed.Body, ref.Path.Parent()))
				delete(telemetry, "backendRef")
				telemetry["endpoint"] = net.JoinHostPort(address, strconv.FormatInt(port, 10))
			}
		}
	}
	return changed
}

package upgrade

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// replaceMeshSettings proposes policies for the metrics of a Mesh, and for its permissive mutual TLS, if the
// mesh has no such policies yet (R8).
var replaceMeshSettings = forEach(func(w *world, mesh kuma.Resource) []proposal {
	return append(w.metrics(mesh), w.permissive(mesh)...)
}, kuma.KindMesh)

// metrics proposes a MeshMetric for the metrics of a Mesh.
func (w *world) metrics(mesh kuma.Resource) []proposal {
	const condition = "K3-080"
	if len(w.snapshot().Resources(mesh.Name, kinds.MeshMetric.Name)) > 0 {
		return nil
	}
	spec, why := metricsOf(mesh)
	switch {
	case why != "":
		return w.cannot(mesh, "metrics", condition, why, "Write a MeshMetric by hand.")
	case spec == nil:
		return nil
	}
	p := meshWide(mesh, kinds.MeshMetric.Name, "metrics", spec,
		Item{Condition: condition, Action: Added, Text: "Publishes the metrics of the Mesh, on the same port and path."})
	p.unseen = "the policy replaces the endpoint of the Mesh by one of its own, whose metrics have other labels"
	w.fromMesh[p.put[0].Key()] = true
	return []proposal{p}
}

// meshWide proposes a policy for all proxies of a mesh.
func meshWide(mesh kuma.Resource, kind, name string, spec map[string]any, item Item) proposal {
	spec["targetRef"] = map[string]any{"kind": kuma.KindMesh}
	policy := kuma.Resource{Type: kind, Mesh: mesh.Name, Name: name, Body: map[string]any{"spec": spec}}
	item.Key = policy.Key()
	return proposal{put: []kuma.Resource{policy}, items: []Item{item}}
}

// backendOf returns the backend of a Mesh with a name.
func backendOf(mesh kuma.Resource, list, name string) tree.Node {
	for _, b := range tree.Root(mesh.Body).Get(list, "backends").Items() {
		if found, _ := b.Get("name").Text(); found == name {
			return b
		}
	}
	return tree.Node{}
}

// metricsOf returns the spec of a MeshMetric for the metrics of a Mesh, or why there is none. Both are empty if the Mesh
// has no metrics.
func metricsOf(mesh kuma.Resource) (spec map[string]any, why string) {
	enabled, _ := tree.Root(mesh.Body).Get("metrics", "enabledBackend").Text()
	conf := backendOf(mesh, "metrics", enabled).Get("conf")
	if enabled == "" {
		return nil, ""
	}
	if conf.Get("envoy", "filterRegex").Filled() {
		return nil, "The names that filterRegex matches are not those that a MeshMetric matches."
	}
	prometheus := fields(conf, "port", "path")
	mode, _ := conf.Get("tls", "mode").Text()
	_, mutual := tree.Root(mesh.Body).Get("mtls", "enabledBackend").Text()
	switch {
	case mode == "providedTLS":
		prometheus["tls"] = map[string]any{"mode": "ProvidedTLS"}
	case mode == "disabled" || conf.Get("skipMTLS").True() || !mutual:
		prometheus["tls"] = map[string]any{"mode": "Disabled"}
	default:
		return nil, "The endpoint uses the mutual TLS of the Mesh, which Kuma 3.0 does not have."
	}
	settings := map[string]any{
		"sidecar": map[string]any{
			"includeUnused": !conf.Get("envoy", "usedOnly").True(),
			"profiles":      map[string]any{"appendProfiles": []any{map[string]any{"name": "All"}}},
		},
		"backends": []any{map[string]any{"type": "Prometheus", "prometheus": prometheus}},
	}
	var applications []any
	for _, a := range conf.Get("aggregate").Items() {
		application := tree.Object(tree.Clone(a.Value()))
		if on, set := application["enabled"].(bool); set && !on {
			continue
		}
		delete(application, "enabled")
		applications = append(applications, application)
	}
	if applications != nil {
		settings["applications"] = applications
	}
	return map[string]any{"default": settings}, ""
}

// permissive proposes a MeshTLS for the permissive mutual TLS of a Mesh: proxies with an identity
// are strict in Kuma 3.0.
func (w *world) permissive(mesh kuma.Resource) []proposal {
	const condition = "K3-072"
	if !kinds.PermissiveTLS(mesh) || slices.ContainsFunc(w.snapshot().Resources(mesh.Name, kinds.MeshTLS.Name), setsModeOfAll) {
		return nil
	}
	p := meshWide(mesh, kinds.MeshTLS.Name, "tls-permissive",
		map[string]any{"rules": []any{map[string]any{"default": map[string]any{"mode": "Permissive"}}}},
		Item{
			Condition: condition, Action: Added,
			Text:    "Accepts plaintext, as the mutual TLS of the Mesh does. Proxies with a MeshIdentity are strict without it.",
			Choices: []string{"Remove it when no client speaks plaintext any more."},
		})
	if slices.ContainsFunc(w.snapshot().Resources(mesh.Name, kuma.KindDataplane), func(d *kuma.Resource) bool { return !isTransparent(*d) }) {
		p.unseen = "a MeshTLS makes proxies without redirected connections listen on port 0"
	}
	return []proposal{p}
}

// setsModeOfAll reports whether a MeshTLS sets the mode of all proxies.
func setsModeOfAll(policy *kuma.Resource) bool {
	spec := tree.Root(policy.Spec())
	kind, _ := spec.Get("targetRef", "kind").Text()
	return slices.Contains([]string{"", kuma.KindMesh}, kind) && len(spec.Find("rules[].default.mode")) > 0
}

func isTransparent(dataplane kuma.Resource) bool {
	port, _ := tree.Root(dataplane.Body).Get("networking", "transparentProxying", "redirectPortInbound").Int()
	return port != 0
}

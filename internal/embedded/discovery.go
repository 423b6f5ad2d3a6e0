package embedded

import (
	"net/http"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// discovery returns the pages that describe the control plane, by path.
func (s *Server) discovery() map[string]operation {
	page := func(body func() any) operation {
		return operation{title: "Could not retrieve a resource", run: func(*http.Request) (int, any, error) {
			return http.StatusOK, body(), nil
		}}
	}
	return map[string]operation{
		"":           page(s.index),
		"config":     page(s.config),
		"who-am-i":   page(s.whoAmI),
		"_resources": page(s.resources),
	}
}

func (s *Server) index() any {
	return object{
		{"clusterId", ""},
		{"gui", ""},
		{"hostname", ""},
		{"instanceId", "embedded"},
		{"product", "Kuma"},
		{"version", version(s.controlPlane.Release)},
	}
}

func (s *Server) config() any {
	return compact{object{
		{"apiServer", object{{"readOnly", false}}},
		{"environment", "universal"},
		{"mode", s.controlPlane.Mode},
		{"multizone", object{{"zone", object{{"globalAddress", ""}, {"name", s.controlPlane.Zone}}}}},
		{"store", object{{"type", "directory"}}},
	}}
}

// whoAmI returns the user of all requests: callers in this process are administrators.
func (s *Server) whoAmI() any {
	return object{
		{"name", "mesh-system:admin"},
		{"groups", []string{"mesh-system:admin", "mesh-system:authenticated"}},
	}
}

func (s *Server) resources() any {
	from := !s.controlPlane.Release.Kuma3()
	list := make([]object, len(s.kinds))
	for i, k := range s.kinds {
		included := k.GlobalOwned && k.Name != kinds.Zone.Name // a zone is not federated itself
		o := object{{"includeInFederation", included}, {"name", k.Name}, {"path", k.Path}}
		if p := k.Policy; p != nil {
			o = append(o, field{"policy", object{
				{"hasFromTargetRef", p.From && from},
				{"hasRulesTargetRef", p.Rules},
				{"hasToTargetRef", p.To},
				{"isFromAsRules", p.FromAsRules && from},
				{"isTargetRef", true},
			}})
		}
		scope := "Mesh"
		if k.Scope == def.Global {
			scope = "Global"
		}
		list[i] = append(o, field{"readOnly", false}, field{"scope", scope}, field{"shortName", k.ShortName})
	}
	return object{{"resources", list}}
}

// Paths that follow those of resources that have proxies.
const (
	overviewPath = "_overview" // of a list
	configPath   = "_config"   // of a Dataplane
)

// config returns the operation that reads the configuration of a proxy. There is none:
// no proxy has connected.
func (i item) config() route {
	return route{http.MethodGet: {"Failed to fetch dataplane insight", func(*http.Request) (int, any, error) {
		if _, err := i.within(); err != nil {
			return 0, nil, err
		}
		return 0, nil, errNotFound
	}}}
}

// overviewed reports whether the resources of a kind have proxies.
func overviewed(k def.Kind) bool {
	return k.Name == kinds.Dataplane.Name || k.Name == kinds.ZoneIngress.Name || k.Name == kinds.ZoneEgress.Name
}

// encodeOverview returns the overview of a proxy that has never connected: none connects
// to this control plane. It has no insight (rest-api.md §17.1).
func encodeOverview(k def.Kind, r kuma.Resource) object {
	body := r.Body
	r.Body = nil
	document := encodeDocument(k, r)
	document[0].value = r.Type + "Overview"
	return append(document, field{strings.ToLower(r.Type[:1]) + r.Type[1:], body})
}

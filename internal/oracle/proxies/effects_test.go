package proxies_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// clientNames are the URIs of the certificates of a mutual TLS of the mesh, by Dataplane.
type clientNames map[string][]string

func clientsOf(mesh string, resources []kuma.Resource) clientNames {
	all := clientNames{}
	for _, r := range resources {
		for _, tags := range tree.Root(r.Body).Find("networking.inbound[].tags") {
			for key, value := range tree.StringMap(tags.Value()) {
				uri := "kuma://" + key + "/" + value
				if key == kuma.TagService {
					uri = "spiffe://" + mesh + "/" + value
				}
				all[r.Name] = append(all[r.Name], uri)
			}
		}
	}
	return all
}

// withEffects returns a part of a configuration in one form for what Envoy does alike: inherited and
// default values, permissions as the clients that they allow, wherever the filter stands, and the
// framing of logs for kuma-dp. Health checks also have the header with the tags of the client.
func (c clientNames) withEffects(v any) any {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			v[i] = c.withEffects(item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = c.withEffects(v[name])
		}
		if filters := tree.List(v["filters"]); filters != nil {
			v["filters"], v["allowed"] = c.withoutPermissions(filters)
		}
		if hosts := tree.List(tree.Object(v["routeConfig"])["virtualHosts"]); hosts != nil {
			inheritFromManager(v, hosts)
		}
		if tree.Equal(v["maxConnectAttempts"], json.Number("1")) {
			delete(v, "maxConnectAttempts")
		}
		if match := v["safeRegexMatch"]; match != nil {
			delete(v, "safeRegexMatch")
			v["stringMatch"] = object{"safeRegex": match}
		}
		if v["outlierDetection"] != nil || v["circuitBreakers"] != nil {
			withLimits(v)
		}
		if check := tree.Object(v["httpHealthCheck"]); check != nil {
			check["requestHeadersToAdd"] = slices.DeleteFunc(tree.List(check["requestHeadersToAdd"]), func(h any) bool { return strings.Contains(phrase.JSON(h), "x-kuma-tags") })
		}
		if format := tree.Object(v["logFormat"]); tree.Object(format["jsonFormat"])["address"] != nil {
			fields := tree.Object(format["jsonFormat"])
			v["logFormat"] = object{"textFormatSource": object{"inlineString": tree.Text(fields["address"]) + ";" + tree.Text(fields["message"])}}
		}
	}
	return v
}

// withoutPermissions removes the filters with permissions, and returns the Dataplanes whose
// certificates they allow; null without such a filter.
func (c clientNames) withoutPermissions(filters []any) (left []any, allowed any) {
	isPermission := func(f any) bool {
		name := tree.Text(tree.Object(f)["name"])
		if name != "envoy.filters.network.rbac" && name != "envoy.filters.http.rbac" {
			return false
		}
		names := []any{}
		for _, client := range slices.Sorted(maps.Keys(c)) {
			for _, p := range tree.Object(tree.At(f, tree.Path{"typedConfig", "rules", "policies"})) {
				if slices.ContainsFunc(tree.List(tree.Object(p)["principals"]), func(p any) bool { return isPrincipal(p, c[client]) }) {
					names = append(names, client)
					break
				}
			}
		}
		allowed = names
		return true
	}
	for _, f := range filters {
		if config := tree.Object(tree.Object(f)["typedConfig"]); config["httpFilters"] != nil {
			config["httpFilters"] = slices.DeleteFunc(tree.List(config["httpFilters"]), isPermission)
		}
		if !isPermission(f) {
			left = append(left, f)
		}
	}
	return left, allowed
}

func isPrincipal(principal any, uris []string) bool {
	is := func(p any) bool { return isPrincipal(p, uris) }
	for kind, value := range tree.Object(principal) {
		switch kind {
		case "any":
			return true
		case "notId":
			return !is(value)
		case "andIds":
			return !slices.ContainsFunc(tree.List(tree.Object(value)["ids"]), func(p any) bool { return !is(p) })
		case "orIds":
			return slices.ContainsFunc(tree.List(tree.Object(value)["ids"]), is)
		case "authenticated":
			name := tree.Object(tree.Object(value)["principalName"])
			return slices.ContainsFunc(uris, func(uri string) bool {
				return uri == name["exact"] || name["prefix"] != nil && strings.HasPrefix(uri, tree.Text(name["prefix"]))
			})
		}
	}
	return false
}

// inheritFromManager gives routes what they inherit from the connection manager and from their
// virtual host.
func inheritFromManager(manager map[string]any, hosts []any) {
	if manager["requestHeadersTimeout"] == "0s" {
		delete(manager, "requestHeadersTimeout")
	}
	for _, h := range hosts {
		host := tree.Object(h)
		for _, r := range tree.Objects(host["routes"]) {
			if action := tree.Object(r["route"]); action != nil {
				if action["idleTimeout"] == nil {
					action["idleTimeout"] = manager["streamIdleTimeout"]
				}
				if action["retryPolicy"] == nil && host["retryPolicy"] != nil {
					action["retryPolicy"] = host["retryPolicy"]
				}
				if retries := tree.Object(action["retryPolicy"]); retries != nil {
					withDefaults(retries, object{"numRetries": json.Number("1"), "perTryTimeout": "0s", "retryBackOff": object{"baseInterval": "0.025s"}})
					if intervals := tree.Object(retries["retryBackOff"]); intervals["baseInterval"] == "0.025s" {
						withDefaults(intervals, object{"maxInterval": "0.250s"})
					}
				}
			}
		}
		delete(host, "retryPolicy")
	}
	delete(manager, "streamIdleTimeout")
}

// withLimits gives a cluster the limits that Envoy has by default. Detectors of failures that eject
// nothing have no effect.
func withLimits(cluster map[string]any) {
	for _, t := range tree.Objects(tree.Object(cluster["circuitBreakers"])["thresholds"]) {
		withDefaults(t, object{"maxConnections": json.Number("1024"), "maxPendingRequests": json.Number("1024"), "maxRequests": json.Number("1024"), "maxRetries": json.Number("3")})
	}
	outliers := tree.Object(cluster["outlierDetection"])
	if outliers == nil {
		return
	}
	local := outliers["splitExternalLocalOriginErrors"] == true
	if !local { // none of these is counted
		for _, name := range []string{"consecutiveLocalOriginFailure", "enforcingConsecutiveLocalOriginFailure", "enforcingLocalOriginSuccessRate", "enforcingFailurePercentageLocalOrigin"} {
			delete(outliers, name)
		}
	}
	withDefaults(outliers, object{"interval": "10s", "baseEjectionTime": "30s", "maxEjectionPercent": json.Number("10"), "splitExternalLocalOriginErrors": false, "enforcingFailurePercentageLocalOrigin": json.Number("0")})
	for enforcing, detector := range map[string]string{"enforcingConsecutive5xx": "consecutive5xx", "enforcingConsecutiveGatewayFailure": "consecutiveGatewayFailure", "enforcingConsecutiveLocalOriginFailure": "consecutiveLocalOriginFailure"} {
		if outliers[enforcing] != nil && !tree.Equal(outliers[enforcing], json.Number("0")) {
			withDefaults(outliers, object{detector: json.Number("5")})
		}
	}
	ejects := false
	for name, value := range outliers {
		ejects = ejects || strings.HasPrefix(name, "enforcing") && !tree.Equal(value, json.Number("0"))
	}
	if !ejects {
		delete(cluster, "outlierDetection")
	}
}

func withDefaults(settings, defaults map[string]any) {
	for name, value := range defaults {
		if settings[name] == nil {
			settings[name] = value
		}
	}
}

package kuma3

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// setting is a setting of a control plane 2.14 that Kuma 3.0 does not have, or does not start with.
// The defaults, and which settings are absent, were measured on 2.14.3 and the preview; the rest is stated.
type setting struct {
	path string // in the answer to GET /config
	ok   string // the value with which nothing is to do; empty if that is every value but the other one
	not  string
	do   string // what to do first, as a sentence; empty if 3.0 only ignores the setting
	// instead is the setting of 3.0 for one that it ignores.
	instead string
	// multizone limits it to a global control plane and its zones.
	multizone bool
}

// none stands for an empty value.
const none = "empty"

func settings() []setting {
	const watchdog = "experimental.kdsEventBasedWatchdog."
	const moved = "multizone.global.kds.eventBasedWatchdog and multizone.zone.kds.eventBasedWatchdog"
	return []setting{
		{
			path: "experimental.deltaXds", ok: "true",
			do: "Set it to true, and wait until all proxies are connected again: Kuma 3.0 only has delta xDS.",
		},
		{path: watchdog + "enabled", ok: "true", do: "Set it to true: Kuma 3.0 only has this watchdog.", multizone: true},
		{path: watchdog + "flushInterval", ok: "5s", instead: moved, multizone: true},
		{path: watchdog + "fullResyncInterval", ok: "1m0s", instead: moved, multizone: true},
		{path: watchdog + "delayFullResync", ok: "false", instead: moved, multizone: true},
		{path: "bootstrapServer.params.readinessPort", not: "0", do: "Set a port: Kuma 3.0 does not start with 0."},
		{
			path: "apiServer.authn.type", ok: "tokens",
			do: "Set it to tokens: Kuma 3.0 does not start with client certificates of administrators.",
		},
		{path: "dpServer.authn.zoneProxy.type", ok: "zoneToken", do: "Give zone proxies a dataplane token: Kuma 3.0 does not have this setting."},

		{path: "apiServer.auth.clientCertsDir", ok: none},
		{path: "bootstrapServer.params.corefileTemplatePath", ok: none},
		{path: "defaults.createMeshRoutingResources", ok: "false"},
		{path: "dnsServer.CIDR", ok: "240.0.0.0/4"},
		{path: "dnsServer.serviceVipEnabled", ok: "true"},
		{path: "experimental.autoReachableServices", ok: "false"},
		{path: "experimental.exposeZoneProxyMetrics", ok: "false"},
		{path: "experimental.ingressTagFilters", ok: "[]"},
		{path: "experimental.kubeOutboundsAsVIPs", ok: "true"},
		{path: "experimental.useTagFirstVirtualOutboundModel", ok: "false"},
		{path: "metrics.mesh.maxResyncTimeout", ok: "0s"},
		{path: "metrics.mesh.minResyncTimeout", ok: "0s"},
		{path: "multizone.global.kds.refreshInterval", ok: "1s"},
		{path: "multizone.zone.ingressUpdateInterval", ok: "1s"},
		{path: "multizone.zone.kds.refreshInterval", ok: "1s"},
		{path: "proxy.gateway.globalDownstreamMaxConnections", ok: "50000"},
		{path: "runtime.universal.vipRefreshInterval", ok: "500ms"},
		{
			path: "runtime.universal.zoneResourceCleanupAge", ok: "72h0m0s",
			instead: "runtime.universal.dataplaneCleanupAge, which also removes zone proxies",
		},
		{path: "store.cache.enabled", ok: "true"},
	}
}

// Settings compares the configuration of a control plane 2.14, as it answers it, with what Kuma 3.0 has. It returns
// what to change before the upgrade, as sentences, and the paths of settings that 3.0 ignores.
func Settings(config map[string]any, cp kuma.ControlPlane) (change, ignored []string) {
	for _, s := range settings() {
		node := tree.Root(config).Get(strings.Split(s.path, ".")...)
		value := cmp.Or(fmt.Sprint(node.Value()), none)
		single := cp.Mode == kuma.ModeZone && !cp.Federated
		switch {
		case !node.Known() || s.multizone && single || value == s.ok || s.not != "" && value != s.not:
		case s.instead != "":
			ignored = append(ignored, fmt.Sprintf("%s (use %s)", s.path, s.instead))
		case s.do == "":
			ignored = append(ignored, s.path)
		default:
			change = append(change, fmt.Sprintf("%s is %s. %s", s.path, value, s.do))
		}
	}
	return change, ignored
}

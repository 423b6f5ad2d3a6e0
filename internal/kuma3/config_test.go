package kuma3_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestSettings checks the configuration of control planes: parts of the answers of 2.14.3.
func TestSettings(t *testing.T) {
	t.Parallel()
	const (
		initial = `{"apiServer": {"auth": {"clientCertsDir": ""}, "authn": {"type": "tokens"}}, "bootstrapServer": {"params": {"readinessPort": 9902}},
"dnsServer": {"CIDR": "240.0.0.0/4"}, "experimental": {"deltaXds": false, "ingressTagFilters": [], "kdsEventBasedWatchdog": {"enabled": false, "flushInterval": "5s"}},
"proxy": {"gateway": {"globalDownstreamMaxConnections": 50000}}}`
		other = `{"apiServer": {"auth": {"clientCertsDir": "/certs"}, "authn": {"type": "adminClientCerts"}}, "bootstrapServer": {"params": {"readinessPort": 0}},
"dnsServer": {"CIDR": "241.0.0.0/8"}, "experimental": {"deltaXds": true, "kdsEventBasedWatchdog": {"enabled": true, "flushInterval": "7s"}},
"proxy": {"gateway": {"globalDownstreamMaxConnections": 9}}, "runtime": {"universal": {"zoneResourceCleanupAge": "1h0m0s"}}}`
		delta = "experimental.deltaXds is false. Set it to true, and wait until all proxies are connected again: Kuma 3.0 only has delta xDS."
	)
	for name, tt := range map[string]struct {
		config          string
		cp              kuma.ControlPlane
		change, ignored []string
	}{
		"initial":           {initial, kuma.ControlPlane{Mode: kuma.ModeZone}, []string{delta}, nil},
		"initial of a zone": {initial, kuma.ControlPlane{Mode: kuma.ModeZone, Federated: true}, []string{delta, "experimental.kdsEventBasedWatchdog.enabled is false. Set it to true: Kuma 3.0 only has this watchdog."}, nil},
		"other": {other, kuma.ControlPlane{Mode: kuma.ModeZone}, []string{
			"bootstrapServer.params.readinessPort is 0. Set a port: Kuma 3.0 does not start with 0.",
			"apiServer.authn.type is adminClientCerts. Set it to tokens: Kuma 3.0 does not start with client certificates of administrators.",
		}, []string{
			"apiServer.auth.clientCertsDir", "dnsServer.CIDR", "proxy.gateway.globalDownstreamMaxConnections",
			"runtime.universal.zoneResourceCleanupAge (use runtime.universal.dataplaneCleanupAge, which also removes zone proxies)",
		}},
		"other of a global": {`{"experimental": {"kdsEventBasedWatchdog": {"enabled": true, "flushInterval": "7s"}}}`, kuma.ControlPlane{Mode: kuma.ModeGlobal}, nil, []string{
			"experimental.kdsEventBasedWatchdog.flushInterval (use multizone.global.kds.eventBasedWatchdog and multizone.zone.kds.eventBasedWatchdog)",
		}},
		"embedded": {`{}`, kuma.ControlPlane{Mode: kuma.ModeZone}, nil, nil},
	} {
		change, ignored := kuma3.Settings(testworld.JSON(t, tt.config).(map[string]any), tt.cp) //nolint:forcetypeassert // as written
		testworld.Equal(t, name+": to change", tt.change, change)
		testworld.Equal(t, name+": ignored", tt.ignored, ignored)
	}
}

package oracle

import (
	"fmt"
	"net"
)

// ports are the ports of a control plane by the variables that set them.
type ports map[string]int

// Ports that other parts of the package use.
const (
	apiHTTP    = "KUMA_API_SERVER_HTTP_PORT"
	dataplanes = "KUMA_DP_SERVER_PORT"
	globalSync = "KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT"
)

// freePorts returns ports that are free. Another program may still use one before
// kuma-cp does.
func freePorts() (ports, error) {
	free := ports{}
	for _, variable := range []string{
		apiHTTP, dataplanes, globalSync, "KUMA_API_SERVER_HTTPS_PORT", "KUMA_MONITORING_ASSIGNMENT_SERVER_PORT",
		"KUMA_DIAGNOSTICS_SERVER_PORT", "KUMA_INTER_CP_SERVER_PORT",
	} {
		listener, err := net.ListenTCP("tcp", nil)
		if err != nil {
			return nil, err
		}
		defer listener.Close() // all at the end, so that no port is returned twice
		address, ok := listener.Addr().(*net.TCPAddr)
		if !ok {
			return nil, fmt.Errorf("%s is not a TCP address", listener.Addr())
		}
		free[variable] = address.Port
	}
	return free, nil
}

func (p ports) url(variable string) string { return fmt.Sprintf("http://127.0.0.1:%d", p[variable]) }

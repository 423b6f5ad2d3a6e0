package oracle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"syscall"
)

// ports are the ports of a control plane by the variables that set them.
type ports map[string]int

// Ports that other parts of the package use.
const (
	apiHTTP    = "KUMA_API_SERVER_HTTP_PORT"
	dataplanes = "KUMA_DP_SERVER_PORT"
	globalSync = "KUMA_MULTIZONE_GLOBAL_KDS_GRPC_PORT"
	// interCP is the port that kuma-cp listens on last, up to a second after its API answers.
	interCP = "KUMA_INTER_CP_SERVER_PORT"
)

// Operating systems use ports from lastPort+1 on for outgoing connections, at the latest.
const (
	firstPort = 10000
	lastPort  = 32767
)

// freePorts returns random ports that are free. Another control plane may still use one before
// kuma-cp does.
func freePorts(ctx context.Context) (ports, error) {
	free := ports{}
	for _, variable := range []string{
		apiHTTP, dataplanes, globalSync, "KUMA_API_SERVER_HTTPS_PORT", "KUMA_MONITORING_ASSIGNMENT_SERVER_PORT",
		"KUMA_DIAGNOSTICS_SERVER_PORT", interCP,
	} {
		port, listener, err := listen(ctx)
		if err != nil {
			return nil, err
		}
		defer listener.Close() // all at the end: no port is returned twice
		free[variable] = port
	}
	return free, nil
}

// listen listens on a random port that no other program listens on.
func listen(ctx context.Context) (int, net.Listener, error) {
	for {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf(":%d", port))
		if !errors.Is(err, syscall.EADDRINUSE) {
			return port, listener, err
		}
	}
}

func (p ports) url(variable string) string { return fmt.Sprintf("http://127.0.0.1:%d", p[variable]) }

// Package oracle runs a control plane of Kuma for tests and tools: a kuma-cp
// binary of any release, in universal mode with its store in memory, on free
// ports, in a temporary directory. It leaves no files behind when it stops. On
// Linux, it does not outlive the process that started it.
//
//	cp, err := oracle.Start(ctx, oracle.Options{Binary: "/usr/local/bin/kuma-cp"})
//	…
//	defer cp.Stop()
//	client, err := controlplane.New(controlplane.Config{Endpoint: cp.Endpoint})
package oracle

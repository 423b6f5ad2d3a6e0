// Package oracle asks real control planes of Kuma, for tests and for the commands that
// compare with them or record them. It starts a kuma-cp binary of any release, in universal
// mode with its store in memory, on free ports, in a temporary directory. Nothing remains
// when it stops. On Linux, it does not outlive the process that started it.
//
//	d, err := oracle.Deploy(ctx, "/usr/local/bin/kuma-cp", []string{"east", "west"})
//	…
//	defer d.Stop()
//	rejected, err := d.Store(ctx, d.Writes(world))
//	…
//	stored, err := d.Zone("east").Stored(ctx, "shop")
//
// There is one way of each thing: [Start] and [Deploy] start, [Deployment.Store] writes
// resources to their owners, [Site.Stored] lists, [Until] and [Settled] wait. Resources
// travel through the client of package controlplane. [Site.Send] is for everything that is
// not a resource: inspection, invalid documents, and requests that are recorded as they are.
//
// The commands are beside it: differ compares the engine with answers, record records
// them, and run runs another command with a control plane. All of them are a module of
// their own, because the module of the provider must not require Envoy's types.
package oracle

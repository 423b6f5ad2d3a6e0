package kinds

import "github.com/kuma-universal/terraform-provider-kuma/internal/spec"

// Workload groups the proxies of one application.
var Workload = spec.Kind{
	Name: "Workload", Path: "workloads", ShortName: "wl", Since: "2.13",
	ZoneOwned: true, Status: true,
	Doc: "An application, known by the label `kuma.io/workload` of its Dataplanes. The control plane creates a Workload for each value of that label, " +
		"and deletes one within seconds when no Dataplane has the label: import it to give it labels of your own.",
	Fields: spec.Object{},
}

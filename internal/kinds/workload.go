package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Workload groups the proxies of one application.
var Workload = def.Kind{
	Name: "Workload", Path: "workloads", ShortName: "wl", Since: "2.13",
	ZoneOwned: kuma.Always(), Status: true,
	Doc: "An application, identified by the label `kuma.io/workload` of its Dataplanes. " +
		"The control plane creates a Workload for each value of that label, and deletes it within seconds if no Dataplane has the label. " +
		"Import it to add labels.",
	Use:    "Use it to add labels to a Workload that the control plane created.",
	Fields: def.Object{},
	Needs:  &def.Labeled{Kind: kuma.KindDataplane, Label: kuma.LabelWorkload},
}

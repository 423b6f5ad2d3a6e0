package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Workload groups the proxies of one application.
var Workload = def.Kind{
	Name: "Workload", Path: "workloads", ShortName: "wl", Since: "2.13",
	ZoneOwned: true, Status: true,
	Doc:      "An application, identified by the label `kuma.io/workload` of its Dataplanes. The control plane creates a Workload for each value of that label, and deletes it within seconds if no Dataplane has the label. Import it to add labels.",
	Use:      "Use it to add labels to a Workload that the control plane created.",
	Fields:   def.Object{},
	Creation: def.Checks(needsDataplane),
}

// needsDataplane warns about a new Workload. It would already exist if a
// Dataplane had its label.
var needsDataplane = def.Check{Test: func(n tree.Node) []def.Problem {
	name, ok := n.Root().Get("name").Text()
	if !ok {
		return nil
	}
	return []def.Problem{def.WarningAt(n.Root().Get("name"), "Workload without a Dataplane is deleted", fmt.Sprintf("The control plane deletes a Workload within seconds if no Dataplane has the label %s with the value %q. Create such a Dataplane first; the control plane then creates the Workload, which you can import.", kuma.LabelWorkload, name))}
}}

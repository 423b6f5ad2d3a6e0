package analysis

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

type policyImpactModel struct {
	analysisArguments
	ImpactModel
	Types    types.Set  `tfsdk:"types"`
	Complete types.Bool `tfsdk:"complete"`
	Applied  types.Bool `tfsdk:"applied"`
}

// Limits of the lists in the state, unless complete is set.
const (
	maxImpactChanges    = 200
	maxImpactDataplanes = 100 // of a change
	maxAccessClients    = 50  // of a row
)

// ImpactModel is the result of the data source and of the function.
type ImpactModel struct {
	Changes             []impactChangeModel  `tfsdk:"changes"`
	ChangesOmitted      types.Int64          `tfsdk:"changes_omitted"`
	DataplanesChanged   []string             `tfsdk:"dataplanes_changed"`
	DataplanesUnchanged []string             `tfsdk:"dataplanes_unchanged"`
	DataplanesAdded     []string             `tfsdk:"dataplanes_added"`
	DataplanesRemoved   []string             `tfsdk:"dataplanes_removed"`
	AccessGained        []accessChangeModel  `tfsdk:"access_gained"`
	AccessLost          []accessChangeModel  `tfsdk:"access_lost"`
	RequestsChanged     []requestChangeModel `tfsdk:"requests_changed"`
	WithoutEffect       []withoutEffectModel `tfsdk:"without_effect"`
	Counts              *impactCountsModel   `tfsdk:"counts"`
	Summary             types.String         `tfsdk:"summary"`
}

// setByModel identifies an entry of a policy.
type setByModel struct {
	Name      string `tfsdk:"name"`
	KRI       string `tfsdk:"kri"`
	RuleIndex int64  `tfsdk:"rule_index"`
}

type impactChangeModel struct {
	Dataplanes  []string     `tfsdk:"dataplanes"`
	Count       int64        `tfsdk:"dataplane_count"`
	Type        string       `tfsdk:"type"`
	Direction   string       `tfsdk:"direction"`
	Destination string       `tfsdk:"destination"`
	Path        string       `tfsdk:"path"`
	Before      types.String `tfsdk:"before"`
	After       types.String `tfsdk:"after"`
	BeforeSetBy *setByModel  `tfsdk:"before_set_by"`
	AfterSetBy  *setByModel  `tfsdk:"after_set_by"`
	Cause       string       `tfsdk:"cause"`
}

type withoutEffectModel struct {
	Type      string `tfsdk:"type"`
	Name      string `tfsdk:"name"`
	KRI       string `tfsdk:"kri"`
	Operation string `tfsdk:"operation"`
	Reason    string `tfsdk:"reason"`
}

type accessChangeModel struct {
	Clients     []string     `tfsdk:"clients"`
	ClientCount int64        `tfsdk:"client_count"`
	Service     string       `tfsdk:"service"`
	Port        int64        `tfsdk:"port"`
	Reachable   bool         `tfsdk:"reachable"`
	Before      string       `tfsdk:"before"`
	After       string       `tfsdk:"after"`
	Policy      types.String `tfsdk:"policy"`
	Reason      string       `tfsdk:"reason"`
}

type requestChangeModel struct {
	Dataplanes []string `tfsdk:"dataplanes"`
	Count      int64    `tfsdk:"dataplane_count"`
	Service    string   `tfsdk:"service"`
	Port       int64    `tfsdk:"port"`
	Requests   []string `tfsdk:"requests"`
	Before     string   `tfsdk:"before"`
	After      string   `tfsdk:"after"`
	Text       string   `tfsdk:"text"`
}

type impactCountsModel struct {
	DataplanesChanged   int64 `tfsdk:"dataplanes_changed"`
	DataplanesUnchanged int64 `tfsdk:"dataplanes_unchanged"`
	Changes             int64 `tfsdk:"changes"`
	Values              int64 `tfsdk:"values"`
	AccessGained        int64 `tfsdk:"access_gained"`
	AccessLost          int64 `tfsdk:"access_lost"`
	RequestsChanged     int64 `tfsdk:"requests_changed"`
	RequestsNotCompared int64 `tfsdk:"requests_not_compared"`
	WithoutEffect       int64 `tfsdk:"without_effect"`
}

// Show fills the model, either completely or with as much as a state should hold.
func (m *ImpactModel) Show(i impact.Impact, complete bool) {
	rows := i.Rows()
	kept := rows
	if !complete {
		kept = impact.Largest(rows, maxImpactChanges)
	}
	m.ChangesOmitted = types.Int64Value(int64(len(rows) - len(kept)))
	m.Changes = each(kept, func(r impact.Row) impactChangeModel {
		named := len(r.Dataplanes)
		if !complete {
			named = min(named, maxImpactDataplanes)
		}
		c := impactChangeModel{
			Dataplanes: r.Dataplanes[:named], Count: int64(len(r.Dataplanes)), Type: r.Type, Direction: string(r.Direction), Destination: r.Destination, Path: r.Path, Cause: string(r.Cause),
		}
		c.Before, c.BeforeSetBy = impactValue(r.Before)
		c.After, c.AfterSetBy = impactValue(r.After)
		return c
	})
	m.DataplanesChanged = names(i.Changed())
	m.DataplanesUnchanged = names(i.Unchanged)
	m.DataplanesAdded = names(i.Added)
	m.DataplanesRemoved = names(i.Removed)
	m.AccessGained, m.AccessLost = accessChanges(i.AccessGained, complete), accessChanges(i.AccessLost, complete)
	m.RequestsChanged = each(i.RequestsChanged, func(c impact.RequestChange) requestChangeModel {
		named := len(c.Clients)
		if !complete {
			named = min(named, maxImpactDataplanes)
		}
		return requestChangeModel{
			Dataplanes: c.Clients[:named], Count: int64(len(c.Clients)), Service: c.Port.Resource.Name, Port: int64(c.Port.Number), Requests: c.Requests,
			Before: impact.DescribeOutcomes(c.Before), After: impact.DescribeOutcomes(c.After), Text: c.String(),
		}
	})
	m.WithoutEffect = each(i.WithoutEffect, func(p impact.PolicyChange) withoutEffectModel {
		return withoutEffectModel{p.Type, p.Name, p.KRI, string(p.Operation), p.Reason}
	})
	m.Counts = &impactCountsModel{
		DataplanesChanged: int64(len(m.DataplanesChanged)), DataplanesUnchanged: int64(len(m.DataplanesUnchanged)),
		AccessGained: int64(len(i.AccessGained)), AccessLost: int64(len(i.AccessLost)),
		RequestsChanged: int64(len(i.RequestsChanged)), RequestsNotCompared: int64(i.RequestsNotCompared),
		Changes: int64(len(rows)), Values: int64(i.Values()), WithoutEffect: int64(len(m.WithoutEffect)),
	}
	m.Summary = types.StringValue(i.Summary())
}

// accessChanges shows changes of access, either completely or with as much as a state should
// hold. Those of clients with a listener come first.
func accessChanges(list []access.Change, complete bool) []accessChangeModel {
	if !complete {
		list = list[:min(len(list), maxImpactChanges)]
	}
	return each(list, func(c access.Change) accessChangeModel {
		clients := c.Clients
		if !complete {
			clients = clients[:min(len(clients), maxAccessClients)]
		}
		return accessChangeModel{
			Clients: clients, ClientCount: int64(len(c.Clients)), Service: c.Port.Resource.Name, Port: int64(c.Port.Number), Reachable: c.Reachable,
			Before: string(c.Before.Verdict), After: string(c.After.Verdict), Policy: decidingPolicy(c.After), Reason: c.After.Reason,
		}
	})
}

// decidingPolicy returns the policy that decides, null if none does.
func decidingPolicy(a access.Answer) types.String {
	if a.Policy == (kuma.Key{}) {
		return types.StringNull()
	}
	return types.StringValue(a.Policy.Name)
}

func impactValue(v *impact.Value) (types.String, *setByModel) {
	if v == nil {
		return types.StringNull(), nil
	}
	if v.SetBy == (impact.Source{}) {
		return types.StringValue(v.JSON), nil
	}
	return types.StringValue(v.JSON), &setByModel{Name: v.SetBy.Name, KRI: v.SetBy.KRI, RuleIndex: int64(v.SetBy.Index)}
}

// names returns a list that is never null, so that expressions can rely on it.
func names(list []string) []string { return append([]string{}, list...) }

// ImpactAttributes returns the attributes of [ImpactModel].
func ImpactAttributes() map[string]schema.Attribute {
	text, texts, number, list := tfschema.ComputedText, tfschema.ComputedTexts, tfschema.ComputedNumber, tfschema.ComputedList
	return map[string]schema.Attribute{
		"changes": list("Values that change, each with all dataplanes on which it changes, in order of type, direction, destination and path.", map[string]schema.Attribute{
			"dataplanes":      texts("Names of the dataplanes on which the value changes in this way."),
			"dataplane_count": number("Number of dataplanes on which the value changes in this way."),
			"type":            text("Kind of policy, or `Dataplane` for the path `reachable`."),
			"direction": text("List of the policy that contains the settings: `to` for outgoing traffic, `from` for incoming traffic by the tags of the client, " +
				"`rules` for incoming traffic by request, `default` for the proxy itself."),
			"destination": text("What the value applies to: the identifier (KRI) of a destination, including its section; the tags of a peer, such as `kuma.io/service=web`, or `any`; " +
				"for incoming traffic the same after the port, as in `port 8080, any`; `proxy` for the proxy itself; `outside` for destinations outside the mesh, of the path `reachable`."),
			"path":          text("Path of the value in the conf, such as `http.requestTimeout`, or `access` or `reachable`, which belong to no conf. See [Read the impact](../guides/preview-a-change.md#read-the-impact)."),
			"before":        text("Value before the change, as JSON. Null if it is not set."),
			"after":         text("Value after the change, as JSON. Null if it is not set."),
			"before_set_by": computedEntry("Policy that sets the value before the change. Null if it is not set, and for `access` and `reachable`."),
			"after_set_by":  computedEntry("Policy that sets the value after the change. Null if it is not set, and for `access` and `reachable`."),
			"cause": text("Why the value changes: `settings` if added, changed or removed resources set it or no longer set it, `order` if the policies in `before_set_by` and `after_set_by` are unchanged and only their order is reversed. " +
				"Other policies can reverse it, see [How policies combine](../guides/how-policies-combine.md#when-the-order-is-not-stable)."),
		}),
		"changes_omitted":      number("Number of changes that are omitted from `changes`."),
		"dataplanes_changed":   texts("Names of the dataplanes with values that change."),
		"dataplanes_unchanged": texts("Names of the dataplanes that keep all values."),
		"dataplanes_added":     texts("Names of the dataplanes that are added. `changes` does not include their values."),
		"dataplanes_removed":   texts("Names of the dataplanes that are removed. `changes` does not include their values."),
		"access_gained":        list("Clients that can call a service after the change only, by port of the service: those that have a listener for it first. Clients and services that exist only on one side are not included, nor is a service that calls itself.", accessChangeAttributes()),
		"access_lost":          list("Clients that can call a service before the change only, by port of the service: those that have a listener for it first. Clients and services that exist only on one side are not included, nor is a service that calls itself.", accessChangeAttributes()),
		"requests_changed": list("Requests that go to other services after the change, in other shares, with another path, or that proxies answer differently. One request is compared for each match of the routes for a service, or for a host name of a builtin gateway, and one that no match describes. Who may call a service is in `access_gained` and `access_lost`. Services that are added or removed are not included.", map[string]schema.Attribute{
			"dataplanes":      texts("Names of the dataplanes whose requests change."),
			"dataplane_count": number("Number of dataplanes whose requests change."),
			"service":         text("Name of the service that is called, or of the MeshGateway for requests from outside the mesh."),
			"port":            number("Port of the service, of the outbound if it is by tags, or of the listener of a MeshGateway."),
			"requests":        texts("Requests that change in this way, such as `GET /v2`, or `GET *.example.com/v2` for a host name of a gateway. `connections` for a port that is not HTTP."),
			"before":          text("What happens to the requests before the change: the service that gets them, the services with their shares, or the answer, such as `404`. `no listener` means that the gateway does not listen for them."),
			"after":           text("What happens to the requests after the change."),
			"text":            text("The change in words, such as `GET /v2 on checkout port 80 answers 404, before: checkout`."),
		}),
		"without_effect": list("Policies that are added, changed or removed without changing a value on any dataplane, in order of kind and name.", map[string]schema.Attribute{
			"type": text("Kind of the policy."), "name": text("Name of the policy."), "kri": text("Identifier of the policy."),
			"operation": text("What happens to the policy: `added`, `changed` or `removed`."),
			"reason":    text("Why the change has no effect, such as `selects no dataplane`."),
		}),
		"counts": tfschema.ComputedObject("Numbers of changes and dataplanes.", map[string]schema.Attribute{
			"dataplanes_changed":    number("Number of dataplanes with values that change."),
			"dataplanes_unchanged":  number("Number of dataplanes that keep all values."),
			"changes":               number("Number of distinct changes, each counted once for all dataplanes."),
			"values":                number("Number of values that change, counted on each dataplane."),
			"access_gained":         number("Number of changes in `access_gained`, including those that it omits."),
			"access_lost":           number("Number of changes in `access_lost`, including those that it omits."),
			"requests_changed":      number("Number of changes in `requests_changed`."),
			"requests_not_compared": number("Number of requests that are not compared, because a change of many routes distinguishes too many."),
			"without_effect":        number("Number of policies that are added, changed or removed without effect."),
		}),
		"summary": text("Summary of the impact, for the output of a plan or as Markdown for a pull request. Long lists are shortened."),
	}
}

// accessChangeAttributes are the attributes of [accessChangeModel].
func accessChangeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"clients":      tfschema.ComputedTexts("Names of the clients: the services that they provide, or the Dataplane if it provides none."),
		"client_count": tfschema.ComputedNumber("Number of clients."),
		"service":      tfschema.ComputedText("Name of the service."),
		"port":         tfschema.ComputedNumber("Port of the service."),
		"reachable":    computedFlag("Whether the clients have a listener for the port, on the side on which they can call it."),
		"before":       tfschema.ComputedText("Verdict before the change, as in `kuma_access`, such as `allowed`."),
		"after":        tfschema.ComputedText("Verdict after the change, as in `kuma_access`."),
		"policy":       tfschema.ComputedText("Name of the MeshTrafficPermission that decides after the change. Null if none does."),
		"reason":       tfschema.ComputedText("Why the verdict after the change is what it is, as a clause about the client or the service."),
	}
}

package answer

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Impact is how a change affects the proxies of a mesh.
type Impact struct {
	documentWarnings
	Changes             []ValueChange         `json:"changes"`
	ChangesOmitted      int                   `json:"changes_omitted"`
	DataplanesChanged   []string              `json:"dataplanes_changed"`
	DataplanesUnchanged []string              `json:"dataplanes_unchanged"`
	DataplanesAdded     []string              `json:"dataplanes_added"`
	DataplanesRemoved   []string              `json:"dataplanes_removed"`
	AccessGained        []AccessChange        `json:"access_gained"`
	AccessLost          []AccessChange        `json:"access_lost"`
	RequestsChanged     []RequestChange       `json:"requests_changed"`
	Frozen              []FrozenProxies       `json:"frozen"`
	WithoutEffect       []impact.PolicyChange `json:"without_effect"`
	Counts              ImpactCounts          `json:"counts"`
	Summary             string                `json:"summary"`
	Uncertain           bool                  `json:"-"` // see [impact.Impact.IsUncertain]
}

// AppliedImpact is an impact that is known only when some of the change may already be applied.
type AppliedImpact struct {
	Impact
	Applied bool `json:"applied"`
}

// ValueChange is a value that changes on some proxies.
type ValueChange struct {
	Dataplanes  []string `json:"dataplanes"`
	Count       int      `json:"dataplane_count"`
	Type        string   `json:"type"`
	Direction   string   `json:"direction"`
	Destination string   `json:"destination"`
	Path        string   `json:"path"`
	Before      *string  `json:"before"`
	After       *string  `json:"after"`
	BeforeSetBy *Entry   `json:"before_set_by"`
	AfterSetBy  *Entry   `json:"after_set_by"`
	Cause       string   `json:"cause"`

	// Setting, Was and Is describe the change in words.
	Setting, Was, Is string `json:"-"`
}

// AccessChange is a service that some clients can call on one side of a change only.
type AccessChange struct {
	Clients     []string `json:"clients"`
	ClientCount int      `json:"client_count"`
	Service     string   `json:"service"`
	Port        int      `json:"port"`
	Reachable   bool     `json:"reachable"`
	Before      string   `json:"before"`
	After       string   `json:"after"`
	Policy      string   `json:"policy,omitzero"`
	Reason      string   `json:"reason"`
}

// RequestChange is a change of what happens to requests.
type RequestChange struct {
	Dataplanes []string `json:"dataplanes"`
	Count      int      `json:"dataplane_count"`
	Service    string   `json:"service"`
	Port       int      `json:"port"`
	Requests   []string `json:"requests"`
	Before     string   `json:"before"`
	After      string   `json:"after"`
	Text       string   `json:"text"`
}

// FrozenProxies are proxies that can no longer be configured.
type FrozenProxies struct {
	Dataplanes []string `json:"dataplanes"`
	Count      int      `json:"dataplane_count"`
	Type       string   `json:"type"`
	Name       string   `json:"name"`
	Path       string   `json:"path"`
	Reason     string   `json:"reason"`
}

// ImpactCounts are numbers of changes and dataplanes.
type ImpactCounts struct {
	DataplanesChanged   int `json:"dataplanes_changed"`
	DataplanesUnchanged int `json:"dataplanes_unchanged"`
	Changes             int `json:"changes"`
	Values              int `json:"values"`
	AccessGained        int `json:"access_gained"`
	AccessLost          int `json:"access_lost"`
	RequestsChanged     int `json:"requests_changed"`
	RequestsNotCompared int `json:"requests_not_compared"`
	Frozen              int `json:"frozen"`
	WithoutEffect       int `json:"without_effect"`
}

// OfImpact compares a mesh before and after a change, either completely or as much as a state
// should hold.
func OfImpact(before, after input.Mesh, kinds []string, complete bool) (Impact, error) {
	before, after = before.InZones(), after.InZones()
	first, _ := before.Snapshot()
	second, caveat := after.Snapshot()
	i, err := impact.Compare(first, second, after.Name, kinds...)
	if err != nil {
		return Impact{}, err
	}
	return ofImpact(i, after, caveat, complete), nil
}

func ofImpact(i impact.Impact, after input.Mesh, caveat string, complete bool) Impact {
	rows := i.Rows()
	kept := rows
	if !complete {
		kept = impact.Largest(rows, MaxRows)
	}
	out := Impact{
		documentWarnings: documentWarnings{after.Warnings}, ChangesOmitted: len(rows) - len(kept),
		DataplanesChanged: i.Changed(), DataplanesUnchanged: i.Unchanged, DataplanesAdded: i.Added, DataplanesRemoved: i.Removed,
		AccessGained: accessChanges(i.AccessGained, complete), AccessLost: accessChanges(i.AccessLost, complete),
		Summary: afterCaveat(caveat, i.Summary()), Uncertain: i.IsUncertain(),
	}
	out.Changes = phrase.Each(kept, func(r impact.Row) ValueChange {
		c := ValueChange{
			Dataplanes: limited(r.Dataplanes, MaxNames, complete), Count: len(r.Dataplanes), Type: r.Type, Direction: string(r.Direction),
			Destination: r.Destination, Path: r.Path, Cause: string(r.Cause),
		}
		c.Setting, c.Was, c.Is = r.Words()
		c.Before, c.BeforeSetBy = impactValue(r.Before)
		c.After, c.AfterSetBy = impactValue(r.After)
		return c
	})
	out.RequestsChanged = phrase.Each(i.RequestsChanged, func(c impact.RequestChange) RequestChange {
		return RequestChange{
			Dataplanes: limited(c.Clients, MaxNames, complete), Count: len(c.Clients), Service: c.Port.Resource.Name, Port: c.Port.Number,
			Requests: c.Requests, Before: impact.DescribeOutcomes(c.Before), After: impact.DescribeOutcomes(c.After), Text: c.String(),
		}
	})
	frozen := 0
	out.Frozen = phrase.Each(i.Frozen, func(f impact.Frozen) FrozenProxies {
		frozen += len(f.Dataplanes)
		return FrozenProxies{
			limited(f.Dataplanes, MaxNames, complete), len(f.Dataplanes), f.Resource.Type, f.Resource.Name, f.Path.String(),
			f.Reason,
		}
	})
	out.WithoutEffect = limited(i.WithoutEffect, MaxRows, complete)
	out.Counts = ImpactCounts{
		DataplanesChanged: len(out.DataplanesChanged), DataplanesUnchanged: len(out.DataplanesUnchanged), Changes: len(rows), Values: i.Values(),
		AccessGained: len(i.AccessGained), AccessLost: len(i.AccessLost), RequestsChanged: len(i.RequestsChanged),
		RequestsNotCompared: i.RequestsNotCompared,
		WithoutEffect:       len(i.WithoutEffect), Frozen: frozen,
	}
	return out
}

// Any reports whether the change affects a proxy, or may do so.
func (i Impact) Any() bool {
	return i.Uncertain ||
		len(i.DataplanesChanged)+len(i.DataplanesAdded)+len(i.DataplanesRemoved)+len(i.AccessGained)+len(i.AccessLost)+len(i.RequestsChanged) > 0
}

// accessChanges shows changes of access. Those of clients with a listener come first.
func accessChanges(list []access.Change, complete bool) []AccessChange {
	return phrase.Each(limited(list, MaxRows, complete), func(c access.Change) AccessChange {
		return AccessChange{
			Clients: limited(c.Clients, MaxNames, complete), ClientCount: len(c.Clients), Service: c.Port.Resource.Name, Port: c.Port.Number,
			Reachable: c.Reachable,
			Before:    string(c.Before.Verdict), After: string(c.After.Verdict), Policy: c.After.Policy.Name, Reason: c.After.Reason,
		}
	})
}

func impactValue(v *impact.Value) (*string, *Entry) {
	switch {
	case v == nil:
		return nil, nil
	case v.SetBy == (impact.Source{}):
		return &v.JSON, nil
	default:
		return &v.JSON, &Entry{v.SetBy.Name, v.SetBy.KRI, v.SetBy.Index}
	}
}

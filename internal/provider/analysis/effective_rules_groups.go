package analysis

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/explain"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// Limits of the groups, so that the state stays small for any number of proxies.
const (
	mostGroups     = 20
	mostGroupNames = 100 // of one group
)

// effectiveRulesGroupModel is one group of proxies with the same rules.
type effectiveRulesGroupModel struct {
	Digest         string       `tfsdk:"digest"`
	DataplaneCount int64        `tfsdk:"dataplane_count"`
	Dataplanes     []string     `tfsdk:"dataplanes"`
	Conf           types.String `tfsdk:"conf"`
}

func groupsAttribute() schema.Attribute {
	return tfschema.ComputedList(fmt.Sprintf("The proxies that `dataplanes` selects, grouped by their rules, the largest group first. At most %d groups; `group_count` is the total number. Null without `dataplanes`.", mostGroups), map[string]schema.Attribute{
		"digest":          tfschema.ComputedText("Hash of the effective rules of these proxies, as in `digest`."),
		"dataplane_count": tfschema.ComputedNumber("Number of proxies."),
		"dataplanes":      tfschema.ComputedTexts(fmt.Sprintf("Names of the proxies in ascending order, at most %d.", mostGroupNames)),
		"conf": tfschema.ComputedText("The settings as JSON, in the shape of the attribute `conf` of a single proxy: `jsondecode(…)[KIND][KRI]`. " +
			"The conf of the proxy itself is under `proxy`. Null unless `include` contains `conf`."),
	})
}

// answerGroups computes the answer about the selected proxies.
func (m *effectiveRulesModel) answerGroups(ctx context.Context, q effectiveRulesQuery) {
	snapshot := q.snapshot()
	by := m.Dataplanes.Selector(ctx, snapshot, q.Name, q.diags)
	if q.diags.HasError() {
		return
	}
	names, err := snapshot.SelectDataplanes(q.Name, by)
	if err != nil {
		q.fail(err)
		return
	}
	groups, err := digest.Groups(snapshot, q.Name, names, q.types...)
	if err != nil {
		q.fail(err)
		return
	}
	m.GroupCount = types.Int64Value(int64(len(groups)))
	m.Digest = types.StringValue(digest.OfGroups(groups))
	m.Groups, m.Warnings = []effectiveRulesGroupModel{}, []string{}
	var text explain.Groups
	for _, g := range groups[:min(mostGroups, len(groups))] {
		if err := m.addGroup(snapshot, q, g, &text); err != nil {
			q.fail(err)
			return
		}
	}
	m.Explanation = types.StringValue(input.AfterCaveat(q.caveat, text.Text(len(groups)-len(m.Groups))))
}

// addGroup adds a group with the answer about its first proxy.
func (m *effectiveRulesModel) addGroup(s *rules.Snapshot, q effectiveRulesQuery, g digest.Group, text *explain.Groups) error {
	answer, err := s.Dataplane(q.Name, g.Dataplanes[0], q.types...)
	if err != nil {
		return err
	}
	group := effectiveRulesGroupModel{Digest: g.Digest, DataplaneCount: int64(len(g.Dataplanes)), Dataplanes: g.Dataplanes[:min(mostGroupNames, len(g.Dataplanes))]}
	if slices.Contains(q.include, includeConf) {
		e := Encoder{}
		conf := map[string]any{}
		for _, p := range answer.Rules {
			conf[p.Type] = ConfByKRI("proxy", p)
		}
		group.Conf = types.StringValue(e.JSON(conf))
		if e.Err != nil {
			return e.Err
		}
	}
	warnings, err := explain.Warnings(s, answer, q.Planned, q.types...)
	if err != nil {
		return err
	}
	m.Groups = append(m.Groups, group)
	for _, w := range warnings {
		if !slices.Contains(m.Warnings, w) {
			m.Warnings = append(m.Warnings, w)
		}
	}
	text.Add(g.Dataplanes, answer)
	return nil
}

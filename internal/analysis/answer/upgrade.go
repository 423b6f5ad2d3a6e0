package answer

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Upgrade are the documents of a mesh for Kuma 3.0.
type Upgrade struct {
	StageOne    []string      `json:"stage_one"`
	StageTwo    []string      `json:"stage_two"`
	Removed     []string      `json:"removed"`
	Report      []UpgradeItem `json:"report"`
	Omitted     int           `json:"report_omitted"`
	ReportText  string        `json:"report_text"`
	UnchangedOn bool          `json:"unchanged_on_2"`
	ChangedOn   []string      `json:"changed_on_3"`
	Proof       string        `json:"proof"`
	Ready       bool          `json:"ready"`
	Overview    string        `json:"overview"`
}

// UpgradeItem is what happens to a document.
type UpgradeItem struct {
	Type      string   `json:"type"`
	Mesh      string   `json:"mesh,omitzero"`
	Name      string   `json:"name"`
	Path      string   `json:"path"`
	Action    string   `json:"action"`
	Stage     int      `json:"stage,omitzero"`
	Rewrite   string   `json:"rewrite,omitzero"`
	Condition string   `json:"condition,omitzero"`
	Text      string   `json:"text"`
	Choices   []string `json:"choices"`
	Also      []string `json:"also"`
	Documents int      `json:"documents"`
}

// Limits of the report: it does not grow with the mesh beyond them.
const maxUpgradeItems, maxAlso = 1500, 20

// OfUpgrade rewrites documents for Kuma 3.0.
func OfUpgrade(documents []kuma.Resource, o upgrade.Options, checks upgrade.Checks) (Upgrade, error) {
	r, err := upgrade.Rewrite(documents, o)
	if err != nil {
		return Upgrade{}, err
	}
	out := Upgrade{
		ReportText: r.Report.String(), UnchangedOn: r.Proof.UnchangedOn2(), ChangedOn: r.Proof.Dataplanes(),
		Proof: r.Proof.String(),
	}
	overview := r.Overview(len(documents), checks)
	out.Ready, out.Overview = overview.Ready, overview.Text
	if out.StageOne, err = yamlTexts(r.StageOne); err != nil {
		return out, err
	}
	if out.StageTwo, err = yamlTexts(r.StageTwo); err != nil {
		return out, err
	}
	for _, i := range r.Report {
		if i.Action == upgrade.Removed && i.Path == "" {
			out.Removed = append(out.Removed, i.Key.Type+"/"+i.Key.Name)
		}
	}
	shown := r.Report[:min(len(r.Report), maxUpgradeItems)]
	out.Omitted = len(r.Report) - len(shown)
	out.Report = phrase.Each(shown, func(i upgrade.Item) UpgradeItem {
		return UpgradeItem{
			Type: i.Key.Type, Mesh: i.Key.Mesh, Name: i.Key.Name, Path: i.Path, Action: string(i.Action),
			Stage: i.Stage, Rewrite: i.Rewrite, Condition: i.Condition, Text: phrase.Paragraph(i.Text, i.Deletion), Choices: i.Choices,
			Also: i.Also[:min(len(i.Also), maxAlso)], Documents: 1 + len(i.Also),
		}
	})
	return out, nil
}

func yamlTexts(resources []kuma.Resource) ([]string, error) {
	texts := make([]string, len(resources))
	for i, r := range resources {
		text, err := tree.EncodeYAML(r.Document())
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return texts, nil
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// blamedLabel matches the label in the path of a violation.
var blamedLabel = regexp.MustCompile(`^labels\["(.*)"\]$`)

// labelMesh is the mesh of the documents whose labels are tested.
const labelMesh = "d3"

// labelRow is the verdict of a control plane about labels: those that it rejects or, if
// the answer reports none of them, its status.
type labelRow struct {
	On      string          `json:"on"`
	Kind    string          `json:"kind"`
	Labels  json.RawMessage `json:"labels"`
	Refused []string        `json:"refused,omitempty"`
	Status  int             `json:"status,omitempty"`
}

// recordLabels sends documents with the labels of internal/kinds/testdata/labels.json
// to the control plane that each row names. Apart from the labels they are the first
// examples of their kinds. synced returns when the zone has the mesh of the global one.
func recordLabels(ctx context.Context, sites map[string]*oracle.Site, file, examples string, synced func() error) error {
	rows, err := readRows[labelRow](file)
	if err != nil {
		return err
	}
	for _, on := range []string{"zone", "global"} {
		if err := createMesh(ctx, sites[on], labelMesh); err != nil {
			return err
		}
	}
	if err := synced(); err != nil {
		return err
	}
	for i, row := range rows {
		s, ok := sites[row.On]
		if !ok {
			return fmt.Errorf("%s: there is no control plane %q", file, row.On)
		}
		documents, err := readDocuments(filepath.Join(examples, row.Kind+".yaml"))
		if err != nil {
			return err
		}
		document := documents[0]
		document["name"], document["labels"] = "probe", row.Labels
		if document["mesh"] != nil {
			document["mesh"] = labelMesh
		}
		got, _, err := try(ctx, s, document)
		if err != nil {
			return err
		}
		rows[i].answer(got)
	}
	return rewriteRows(file, rows)
}

func (row *labelRow) answer(got oracle.Answer) {
	row.Refused, row.Status = blamedLabels(got), 0
	if len(row.Refused) == 0 && !got.Accepted() {
		row.Status = got.Status
	}
}

func blamedLabels(got oracle.Answer) []string {
	var names []string
	for _, violation := range tree.Objects(got.Document()["invalid_parameters"]) {
		if found := blamedLabel.FindStringSubmatch(tree.Text(violation["field"])); found != nil {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
)

// blamedLabel matches the label in the path of a violation.
var blamedLabel = regexp.MustCompile(`^labels\["(.*)"\]$`)

// labelMesh is the mesh of the documents whose labels are tested.
const labelMesh = "d3"

// recordLabels sends documents with the labels of internal/kinds/testdata/labels.json
// to the control plane that each row names. Apart from the labels they are the first
// examples of their kinds.
func recordLabels(ctx context.Context, servers map[string]*server, file, examples string) error {
	rows, err := readList(file)
	if err != nil {
		return err
	}
	for _, on := range []string{"zone", "global"} {
		if err := servers[on].createMesh(ctx, labelMesh); err != nil {
			return err
		}
	}
	if err := servers["federated zone"].awaitResource(ctx, "/meshes/"+labelMesh); err != nil {
		return err
	}
	for i, row := range rows {
		s, ok := servers[row.text("on")]
		if !ok {
			return fmt.Errorf("%s: there is no control plane %q", file, row.text("on"))
		}
		documents, err := readDocuments(filepath.Join(examples, row.text("kind")+".yaml"))
		if err != nil {
			return err
		}
		document := documents[0].set("name", "probe").set("labels", row.get("labels"))
		if document.get("mesh") != nil {
			document = document.set("mesh", labelMesh)
		}
		got, err := s.try(ctx, document)
		if err != nil {
			return err
		}
		rows[i] = labelRow(row, got)
	}
	return rewrite(file, values(rows), rowPerLine)
}

// labelRow returns the row with the labels that were rejected or, if the answer reports
// none of them, with its status.
func labelRow(row object, got answer) object {
	row = row.without("refused", "status")
	refused := blamedLabels(got)
	switch {
	case len(refused) > 0:
		return append(row, field{"refused", refused})
	case !got.accepted():
		return append(row, field{"status", number(got.status)})
	default:
		return row
	}
}

func blamedLabels(got answer) []any {
	var names []string
	for _, violation := range objects(got.document().get("invalid_parameters")) {
		if found := blamedLabel.FindStringSubmatch(violation.text("field")); found != nil {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	var out []any
	for _, name := range slices.Compact(names) {
		out = append(out, name)
	}
	return out
}

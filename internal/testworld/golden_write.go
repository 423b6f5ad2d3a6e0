package testworld

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Encode returns the files of a world by name, as [ParseWorld] reads them. about contains
// the fields of case.yaml that are not in the world, such as how it was recorded; without
// them, the file is omitted.
func (w World) Encode(about map[string]any) (files map[string][]byte, err error) {
	files = map[string][]byte{}
	counts := map[string]any{}
	for _, r := range w.Resources {
		text, err := tree.EncodeYAML(r.Document())
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", r.Key(), err)
		}
		files[resourcesFile] = append(append(files[resourcesFile], "---\n"...), text...)
		n, _ := counts[r.Type].(int)
		counts[r.Type] = n + 1
	}
	dataplanes := []any{}
	for _, name := range slices.Sorted(maps.Keys(w.Answers)) {
		dataplanes = append(dataplanes, name)
		if files[AnswerFile(name)], err = Indented(w.Answers[name]); err != nil {
			return nil, fmt.Errorf("encode the answer for %s: %w", name, err)
		}
	}
	if about == nil {
		return files, nil
	}
	about = maps.Clone(about)
	about["mesh"], about["dataplanes"], about["resourceCounts"] = w.Mesh, dataplanes, counts
	files[caseFile], err = tree.EncodeYAML(about)
	return files, err
}

// AnswerFile returns the name of the file with the answer about a Dataplane.
func AnswerFile(dataplane string) string { return answerPrefix + dataplane + answerSuffix }

// Indented encodes a value as JSON over several lines, as in recordings.
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// computed are the fields that a control plane adds to every document.
var computed = []string{"creationTime", "modificationTime", "kri"}

// write is a recorded write of a document with its result.
type write struct {
	Name     string          `json:"name"`
	Put      json.RawMessage `json:"put"`
	Status   int             `json:"status"`
	Error    any             `json:"error,omitempty"` // or:
	Warnings any             `json:"warnings,omitempty"`
	Get      any             `json:"get,omitempty"`
}

// recordedMesh returns the mesh that recorded documents belong to. The one
// named normx has mode Exclusive.
func recordedMesh(name string) object {
	mesh := object{"type": "Mesh", "name": name}
	if name == "normx" {
		mesh["meshServices"] = object{"mode": "Exclusive"}
	}
	return mesh
}

// createMesh creates a mesh unless it exists.
func createMesh(ctx context.Context, s *oracle.Site, name string) error {
	if got, err := s.Get(ctx, "/meshes/"+name); err != nil || got.Accepted() {
		return err
	}
	got, err := s.PutDocument(ctx, recordedMesh(name))
	if err == nil && !got.Accepted() {
		err = fmt.Errorf("create the mesh %q: status %d: %v", name, got.Status, got.Body)
	}
	return err
}

// recordWrites repeats the writes of a file, each while no resource with its
// name exists. dropped are fields that the file omits from stored documents.
func recordWrites(ctx context.Context, s *oracle.Site, file string, dropped ...string) error {
	writes, err := readRows[write](file)
	if err != nil {
		return err
	}
	for i, w := range writes {
		if writes[i], err = writeAgain(ctx, s, w, dropped); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	return rewrite(file, writes)
}

func writeAgain(ctx context.Context, s *oracle.Site, recorded write, dropped []string) (write, error) {
	document, err := tree.DecodeJSON(recorded.Put)
	if err != nil {
		return write{}, err
	}
	got, stored, err := try(ctx, s, tree.Object(document))
	w := write{Name: recorded.Name, Put: recorded.Put, Status: got.Status}
	if got.Accepted() {
		w.Warnings = got.Document()["warnings"]
		w.Get = keep("", recorded.Get, redact("", without(stored.Document(), dropped...)))
	} else {
		w.Error = keep("", recorded.Error, verdict(got))
	}
	return w, err
}

// remove removes a resource, which may be absent.
func remove(ctx context.Context, s *oracle.Site, path string) error {
	_, err := s.Send(ctx, http.MethodDelete, path, map[string]string{"Accept": "application/json"}, "")
	return err
}

// try sends a document while no resource with its name exists and its mesh does. It returns
// the answer and, if it is accepted, the stored document, which it removes.
func try(ctx context.Context, s *oracle.Site, document object) (got, stored oracle.Answer, err error) {
	path, err := oracle.DocumentPath(document)
	if err != nil {
		return got, stored, err
	}
	if err := remove(ctx, s, path); err != nil {
		return got, stored, err
	}
	if mesh := tree.Text(document["mesh"]); mesh != "" {
		if err := createMesh(ctx, s, mesh); err != nil {
			return got, stored, err
		}
	}
	if got, err = s.PutDocument(ctx, document); err != nil || !got.Accepted() {
		return got, stored, err
	}
	if stored, err = s.Get(ctx, path); err != nil {
		return got, stored, err
	}
	return got, stored, remove(ctx, s, path)
}

// verdict returns a rejection without its redundant fields.
func verdict(a oracle.Answer) any {
	if document := a.Document(); document != nil {
		return without(document, slices.DeleteFunc(slices.Collect(maps.Keys(document)), func(field string) bool {
			return field == "title" || field == "detail" || field == "invalid_parameters"
		})...)
	}
	return a.Body
}

// without returns an object without some fields.
func without(o object, fields ...string) object {
	o = maps.Clone(o)
	maps.DeleteFunc(o, func(field string, _ any) bool { return slices.Contains(fields, field) })
	return o
}

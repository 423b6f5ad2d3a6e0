package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

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
func (s *server) createMesh(ctx context.Context, name string) error {
	if got, err := s.get(ctx, "/meshes/"+name); err != nil || got.accepted() {
		return err
	}
	got, err := s.put(ctx, "/meshes/"+name, recordedMesh(name))
	if err == nil && !got.accepted() {
		err = fmt.Errorf("create the mesh %q: status %d: %v", name, got.status, got.body)
	}
	return err
}

// recordWrites repeats the writes of a file, each while no resource with its
// name exists. dropped are fields that the file omits from stored documents.
func recordWrites(ctx context.Context, s *server, file string, dropped ...string) error {
	writes, err := readRows[write](file)
	if err != nil {
		return err
	}
	for i, w := range writes {
		if writes[i], err = s.write(ctx, w, dropped); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	return rewrite(file, writes)
}

func (s *server) write(ctx context.Context, recorded write, dropped []string) (write, error) {
	decoded, err := tree.DecodeJSON(recorded.Put)
	if err != nil {
		return write{}, err
	}
	document := tree.Object(decoded)
	path, err := pathOf(document)
	if err != nil {
		return write{}, err
	}
	got, err := s.create(ctx, path, document)
	if err != nil {
		return write{}, err
	}
	w := write{Name: recorded.Name, Put: recorded.Put, Status: got.status}
	if !got.accepted() {
		w.Error = keep("", recorded.Error, verdict(got))
		return w, nil
	}
	w.Warnings = got.document()["warnings"]
	stored, err := s.get(ctx, path)
	if err != nil {
		return write{}, err
	}
	w.Get = keep("", recorded.Get, redact("", without(stored.document(), dropped...)))
	return w, s.delete(ctx, path)
}

// create sends a document while no resource with its name exists and its mesh does. The
// caller removes the stored resource.
func (s *server) create(ctx context.Context, path string, document object) (answer, error) {
	if err := s.delete(ctx, path); err != nil {
		return answer{}, err
	}
	if mesh := tree.Text(document["mesh"]); mesh != "" {
		if err := s.createMesh(ctx, mesh); err != nil {
			return answer{}, err
		}
	}
	return s.put(ctx, path, document)
}

// try returns the result of sending a document, and removes the stored resource.
func (s *server) try(ctx context.Context, document object) (answer, error) {
	path, err := pathOf(document)
	if err != nil {
		return answer{}, err
	}
	got, err := s.create(ctx, path, document)
	if err != nil || !got.accepted() {
		return got, err
	}
	return got, s.delete(ctx, path)
}

// verdict returns a rejection without its redundant fields.
func verdict(a answer) any {
	if document := a.document(); document != nil {
		return without(document, slices.DeleteFunc(slices.Collect(maps.Keys(document)), func(field string) bool {
			return field == "title" || field == "detail" || field == "invalid_parameters"
		})...)
	}
	return a.body
}

// without returns an object without some fields.
func without(o object, fields ...string) object {
	o = maps.Clone(o)
	maps.DeleteFunc(o, func(field string, _ any) bool { return slices.Contains(fields, field) })
	return o
}

package main

import (
	"context"
	"fmt"
)

// computed are the fields that a control plane adds to every document.
var computed = []string{"creationTime", "modificationTime", "kri"}

// recordedMesh returns the mesh that recorded documents belong to. The one
// named normx has mode Exclusive.
func recordedMesh(name string) object {
	mesh := object{{"type", "Mesh"}, {"name", name}}
	if name == "normx" {
		mesh = append(mesh, field{"meshServices", object{{"mode", "Exclusive"}}})
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
		err = fmt.Errorf("create the mesh %q: status %d: %s", name, got.status, oneLine(got.body))
	}
	return err
}

// recordWrites repeats the writes of a file, each while no resource with its
// name exists. dropped are fields that the file omits from stored documents.
func recordWrites(ctx context.Context, s *server, file string, dropped ...string) error {
	writes, err := readList(file)
	if err != nil {
		return err
	}
	for i, w := range writes {
		if writes[i], err = s.write(ctx, w, dropped); err != nil {
			return fmt.Errorf("%s: %w", w.text("name"), err)
		}
	}
	return rewrite(file, values(writes), pretty)
}

func (s *server) write(ctx context.Context, recorded object, dropped []string) (object, error) {
	document := recorded.object("put")
	path, err := pathOf(document)
	if err != nil {
		return nil, err
	}
	got, err := s.create(ctx, path, document)
	if err != nil {
		return nil, err
	}
	w := object{{"name", recorded.text("name")}, {"put", document}, {"status", number(got.status)}}
	if !got.accepted() {
		return append(w, field{"error", verdict(got)}), nil
	}
	if warnings := got.document().get("warnings"); warnings != nil {
		w = append(w, field{"warnings", warnings})
	}
	stored, err := s.get(ctx, path)
	if err != nil {
		return nil, err
	}
	w = append(w, field{"get", redact("", stored.document().without(dropped...))})
	return w, s.delete(ctx, path)
}

// create sends a document while no resource with its name exists and its mesh does. The
// caller removes the stored resource.
func (s *server) create(ctx context.Context, path string, document object) (answer, error) {
	if err := s.delete(ctx, path); err != nil {
		return answer{}, err
	}
	if mesh := document.text("mesh"); mesh != "" {
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
	document := a.document()
	if document == nil {
		return a.body
	}
	var v object
	for _, m := range document {
		switch m.name {
		case "title", "detail", "invalid_parameters":
			v = append(v, m)
		}
	}
	return v
}

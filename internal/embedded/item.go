package embedded

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// item is one resource, which may or may not exist. mesh is empty for kinds outside
// meshes.
type item struct {
	*Server
	kind def.Kind
	mesh string
	name string
}

func (i item) route() route {
	return route{
		http.MethodGet:    {"Could not retrieve a resource", i.get},
		http.MethodPut:    {"Could not process a resource", i.put},
		http.MethodDelete: {"Could not delete a resource", i.delete},
	}
}

// within returns the mesh of the item, the zero value for a kind outside meshes.
func (i item) within() (kuma.Resource, error) {
	if i.kind.Scope == def.Global {
		return kuma.Resource{}, nil
	}
	return i.loadMesh(i.mesh)
}

func (i item) get(r *http.Request) (int, any, error) {
	in, err := i.within()
	if err != nil {
		return 0, nil, err
	}
	stored, err := i.load(i.kind, in, i.name)
	if err != nil {
		return 0, nil, err
	}
	if f := r.URL.Query().Get("format"); f != "" && f != "universal" {
		return 0, nil, invalid("", violation{Reason: `"format" must be "universal": the embedded control plane does not support other formats`})
	}
	return http.StatusOK, encodeDocument(i.kind, stored), nil
}

// delete removes the file without reading it, so that an invalid file can be deleted
// too.
func (i item) delete(r *http.Request) (int, any, error) {
	file, err := i.find()
	if err != nil {
		return 0, nil, err
	}
	err = i.files.exclusively(func() error {
		if _, err := i.find(); err != nil {
			return err
		}
		if err := i.checkUnread(r.Header, file); err != nil {
			return err
		}
		if err := i.prepareDelete(); err != nil {
			return err
		}
		return i.files.remove(file)
	})
	return http.StatusOK, object{}, err
}

// checkUnread is [checkUnchanged] for a file that may be invalid.
func (i item) checkUnread(conditions http.Header, file string) error {
	if conditions.Get("If-Match") == "" {
		return nil
	}
	_, modified, err := i.files.read(file)
	if err != nil {
		return err
	}
	return checkUnchanged(conditions, modified)
}

// prepareDelete prepares the deletion of the item, or rejects it.
func (i item) prepareDelete() error {
	switch i.kind.Name {
	case kinds.Mesh.Name:
		return i.emptyMesh(i.name)
	case kinds.Secret.Name:
		in, err := i.within()
		if err != nil {
			return err
		}
		return inUse(in, i.name)
	}
	return nil
}

// find returns the file of the item if it exists.
func (i item) find() (string, error) {
	if _, err := i.within(); err != nil {
		return "", err
	}
	file, ok := fileName(i.kind, i.mesh, i.name)
	if !ok {
		return "", errNotFound
	}
	exists, err := i.files.exists(file)
	if err == nil && !exists {
		err = errNotFound
	}
	return file, err
}

func (i item) put(r *http.Request) (int, any, error) {
	if _, err := i.within(); err != nil {
		return 0, nil, err
	}
	sent, problems, err := i.receive(r.Body)
	if err != nil {
		return 0, nil, err
	}
	status := http.StatusOK
	err = i.files.exclusively(func() error {
		created, err := i.replace(sent, problems, r.Header)
		if created {
			status = http.StatusCreated
		}
		return err
	})
	return status, acknowledgement(problems), err
}

// replace stores a document if the stored resource meets the conditions of the request. The
// problems are those that depend on the stored resource.
func (i item) replace(sent kuma.Resource, problems []def.Problem, conditions http.Header) (created bool, err error) {
	in, err := i.within() // check again: the mesh may be gone
	if err != nil {
		return false, err
	}
	old, err := i.load(i.kind, in, i.name)
	created = errors.Is(err, errNotFound)
	if err != nil && !created {
		return false, err
	}
	if conditions.Get("If-None-Match") == "*" && !created {
		return false, alreadyExists(old.Key())
	}
	if err := checkUnchanged(conditions, old.ModificationTime); err != nil {
		return false, err
	}
	stored := i.kind.Store(sent, def.StoreContext{ControlPlane: i.controlPlane, Mesh: in, Create: created})
	if changed := immutableLabels(old, stored); changed != nil {
		return false, invalid("Could not update a resource", changed...)
	}
	wrong := violations(def.Errors(problems))
	for _, path := range i.kind.ImmutableFields(old.Body, stored.Body, i.controlPlane.Release) {
		if !created {
			wrong = append(wrong, violation{Field: fieldPath(path), Reason: "the field cannot be changed: delete the resource first"})
		}
	}
	if i.kind.Name == kinds.Mesh.Name {
		missing, err := i.missingSecrets(stored)
		if err != nil {
			return false, err
		}
		wrong = append(wrong, missing...)
	}
	if len(wrong) > 0 {
		title := "Failed to update a resource"
		if created {
			title = "Failed to create a resource"
		}
		return false, invalid(title, wrong...)
	}
	if created && i.kind.Name == kinds.Mesh.Name {
		// Initial policies come first: once the mesh exists, it is complete.
		if err := i.storeInitial(stored); err != nil {
			return false, err
		}
	}
	return created, i.write(stored, old)
}

func (i item) write(r, old kuma.Resource) error {
	now := i.clock()
	if !now.After(old.ModificationTime) { // every write advances the time
		now = old.ModificationTime.Add(time.Microsecond)
	}
	created := old.CreationTime
	if created.IsZero() {
		created = now
	}
	doc := r.Document()
	doc["creationTime"] = stamp(created)
	data, err := tree.EncodeYAML(doc)
	if err != nil {
		return err
	}
	file, ok := fileName(i.kind, i.mesh, i.name)
	if !ok {
		return invalid("", violation{
			Field:  "name",
			Reason: fmt.Sprintf("the name is too long for a file name: use at most %d characters", LongestName),
		})
	}
	if err := i.keepRelease(); err != nil {
		return err
	}
	return i.files.write(file, data, now)
}

// acknowledgement is the body of a response to a write, which never contains the
// resource.
func acknowledgement(problems []def.Problem) any {
	var warnings []string
	for _, p := range problems {
		if p.Warning {
			warnings = append(warnings, p.Path.String()+": "+reason(p))
		}
	}
	if warnings == nil {
		return object{}
	}
	return object{{"warnings", warnings}}
}

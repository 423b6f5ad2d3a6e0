package provider

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// runState records, for one plan or one apply, which resources the state has
// and what the plan does with them. Terraform starts a provider for each, and
// sends requests about one resource at a time: the second half of a
// replacement, for instance, looks like the creation of a resource that already
// exists. With the record, a resource of this state is not mistaken for one of
// another client.
//
// Terraform 1.15 is different in `terraform test`: one provider serves all runs
// of a file. It is configured without a request to validate the configuration,
// which plan and apply send first.
type runState struct {
	mu        sync.Mutex
	changed   chan struct{} // closed, and replaced, when a waiting call should check again
	resources map[kuma.Key]*runResource
	applying  bool

	// several is true if Terraform makes more than one plan and apply with this
	// provider. A block is then planned again, and looks like a second one of its key.
	several bool

	// Creations of resources that exist, and of which it is not known whether
	// they are in the state. One of them waits, and reports all.
	unresolved []unresolved
	reporting  bool

	analyses []readAnalysis // while planning

	meshes map[string]kuma.Resource // planned with changes; values may be [tree.Unknown]

	before map[kuma.Key]kuma.Resource // see recordWrite

	// timedOut is true if a wait timed out, and nothing of the state has been
	// shown or deleted since: waiting again would have the same result.
	timedOut bool

	calls, waiting int // calls of Terraform, and those of them that wait
	lastCall       time.Time
	stateTimeout   time.Duration
	deleteTimeout  time.Duration
}

// runResource is what is known about the resource with a key.
type runResource struct {
	typeName string // of the Terraform resource in the state; empty for none
	action   plannedAction
	newType  string // of the Terraform resource that is created
	creation creation
	deleted  bool    // by this run
	version  string  // fingerprint of the version that this run deletes
	replaces *string // fingerprint of the stored version that the creation replaces without deleting it first
	created  bool    // or adopted, by this run
	reported bool    // as one that exists

	labels map[string]string // after the plan; nil unless the plan changes the resource
}

// plannedAction is what the plan does with a resource of the state.
type plannedAction int

const (
	actionUnknown plannedAction = iota
	actionKeep
	actionRename // its block has another key
	actionDelete
)

// destroys reports whether the plan destroys the resource with the key.
func (a plannedAction) destroys() bool { return a == actionRename || a == actionDelete }

// creation is the kind of a planned creation.
type creation int

const (
	creationNone        creation = iota
	creationNew                  // of a resource that the state does not have, or a tainted one
	creationReplacement          // the second half of the replacement of one with another key
	creationSameKey              // the second half of the replacement of one with the same key
)

// conflict is why a resource cannot be created.
type conflict int

const (
	conflictNone conflict = iota
	conflictTwoBlocks
	conflictMovedBlock // the state has it at an address that is not in the configuration
	conflictDestroyed  // the state has it at another address too, which the plan destroys
)

const (
	// stateTimeout is how long Terraform must send no requests until resources
	// that it has not sent are considered not to be in the state. If it was
	// only busy with other providers, an error gives the wrong reason, but
	// nothing else is affected.
	stateTimeout = 5 * time.Second
	// deleteTimeout is the same for an apply that waits for a deletion.
	deleteTimeout = 20 * time.Second
	// adoptTimeout is used instead of both where existing resources may be adopted.
	adoptTimeout = 500 * time.Millisecond
)

func newRunState() *runState {
	return &runState{changed: make(chan struct{}), resources: map[kuma.Key]*runResource{}, meshes: map[string]kuma.Resource{}, before: map[kuma.Key]kuma.Resource{}, stateTimeout: stateTimeout, deleteTimeout: deleteTimeout}
}

// restart forgets the resources of the run: what follows belongs to another plan or apply.
func (s *runState) restart() {
	s.update(func() { s.resources, s.applying = map[kuma.Key]*runResource{}, false })
}

// call marks the start of a call of Terraform; done marks its end.
func (s *runState) call() (done func()) {
	s.update(func() { s.calls++ })
	return func() { s.update(func() { s.calls-- }) }
}

// inProgress returns the number of calls of Terraform that have not ended.
func (s *runState) inProgress() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// update changes the record, and wakes up waiting calls.
func (s *runState) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.lastCall = time.Now()
	if s.waiting > 0 {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

func (s *runState) resource(key kuma.Key) *runResource {
	r, ok := s.resources[key]
	if !ok {
		r = &runResource{}
		s.resources[key] = r
	}
	return r
}

// get returns what is known of a resource.
func (s *runState) get(key kuma.Key) runResource {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.resource(key)
}

// recordState records that the resource is in the state.
func (s *runState) recordState(key kuma.Key, typeName string) {
	s.update(func() {
		s.resource(key).typeName = typeName
		s.timedOut = false
	})
}

// recordApply records that a plan is being applied.
func (s *runState) recordApply() {
	s.update(func() { s.applying = true })
}

// recordDeletion records that this run is about to delete the version of a resource with
// the fingerprint.
func (s *runState) recordDeletion(key kuma.Key, fingerprint string) {
	s.update(func() { s.resource(key).version = fingerprint })
}

// recordDeleted records that this run deleted the resource.
func (s *runState) recordDeleted(key kuma.Key) {
	s.update(func() {
		*s.resource(key) = runResource{deleted: true, version: s.resource(key).version}
		s.timedOut = false
	})
}

// recordReplaced records that the creation of a resource replaces the stored version
// with the fingerprint, which this run has not deleted.
func (s *runState) recordReplaced(key kuma.Key, fingerprint string) {
	s.update(func() {
		*s.resource(key) = runResource{replaces: &fingerprint, version: s.resource(key).version}
		s.timedOut = false
	})
}

// recordCreated records that this run created or adopted the resource.
func (s *runState) recordCreated(key kuma.Key) {
	s.update(func() { s.resource(key).created = true })
}

// recordPlan records what the plan does with a resource of the state, and
// returns the conflict with others of the same key.
func (s *runState) recordPlan(key kuma.Key, typeName string, action plannedAction) (found conflict) {
	s.update(func() {
		r := s.resource(key)
		if s.several { // the state has what an earlier apply created
			r.creation, r.created, r.action = creationNone, false, actionUnknown
		}
		switch {
		case r.action == actionKeep && action == actionKeep:
			found = conflictTwoBlocks
		case s.applying:
		case r.action == actionKeep && action.destroys():
			found = conflictDestroyed
		case r.action.destroys() && action == actionKeep:
			found = conflictDestroyed
			return // the type remains that of the address that is destroyed
		}
		r.typeName, r.action = typeName, action
		if found == conflictNone && !s.applying {
			found = r.conflict()
		}
	})
	return found
}

// recordLabels records the labels that the plan gives to a resource.
func (s *runState) recordLabels(key kuma.Key, labels map[string]string) {
	s.update(func() { s.resource(key).labels = labels })
}

// hasLabel reports whether a stored or planned resource of a kind in a mesh has a label
// with a value, after the plan.
func (s *runState) hasLabel(stored []kuma.Resource, kind, mesh, label, value string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range stored {
		planned, ok := s.resources[r.Key()]
		if (!ok || planned.labels == nil && planned.action != actionDelete) && r.Labels[label] == value {
			return true
		}
	}
	for key, planned := range s.resources {
		if key.Type == kind && key.Mesh == mesh && planned.labels[label] == value {
			return true
		}
	}
	return false
}

// recordMesh records what the plan makes of a mesh.
func (s *runState) recordMesh(mesh kuma.Resource) {
	s.update(func() { s.meshes[mesh.Name] = mesh })
}

// plannedMesh returns a mesh that the plan creates or changes.
func (s *runState) plannedMesh(name string) (mesh kuma.Resource, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mesh, ok = s.meshes[name]
	return mesh, ok
}

// conflict returns why a resource that is also in the state cannot be created.
// While the action is not known, the resource may be tainted, which is not a
// conflict.
func (r *runResource) conflict() conflict {
	switch {
	case r.creation == creationNone || r.creation == creationSameKey:
		return conflictNone
	case r.action == actionKeep:
		return conflictTwoBlocks
	case r.action == actionDelete && r.creation == creationNew:
		return conflictMovedBlock
	default:
		return conflictNone
	}
}

// recordCreation records that the plan creates the resource, and returns a
// conflict if it does so twice. mayExist is false if an existing resource does
// not have to be looked for.
func (s *runState) recordCreation(key kuma.Key, typeName string, how creation) (found conflict, mayExist bool) {
	s.update(func() {
		r := s.resource(key)
		if r.creation != creationNone && !s.several {
			found = conflictTwoBlocks
		}
		r.newType, r.creation = typeName, how
		mayExist = found == conflictNone && how != creationSameKey && !s.applying // an apply finds out when it creates
	})
	return found, mayExist
}

// unresolved is a planned creation of a resource that exists.
type unresolved interface{ Key() kuma.Key }

// resolve decides about a planned creation of a resource that exists: it
// returns the conflict if the resource is in the state. After the timeout, one
// of the waiting calls returns all creations of resources that are not in the state.
func (s *runState) resolve(ctx context.Context, e unresolved, timeout time.Duration) (conflict, []unresolved) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.resource(e.Key())
	if own.typeName != "" {
		return own.conflict(), nil
	}
	s.unresolved = append(s.unresolved, e)
	if s.reporting {
		return conflictNone, nil
	}
	s.reporting = true
	defer func() { s.reporting, s.unresolved = false, nil }()
	inState := func(e unresolved) bool { return s.resource(e.Key()).typeName != "" }
	all := func() bool {
		for _, e := range s.unresolved {
			if !inState(e) {
				return false
			}
		}
		return true
	}
	if s.wait(ctx, timeout, all) || ctx.Err() != nil {
		return own.conflict(), nil
	}
	var foreign []unresolved
	for _, e := range s.unresolved {
		if !inState(e) {
			s.resource(e.Key()).reported = true
			foreign = append(foreign, e)
		}
	}
	return own.conflict(), foreign
}

// notInState returns the resources that the state does not have, after it has waited for
// Terraform to send all of it.
func (s *runState) notInState(ctx context.Context, keys []kuma.Key, timeout time.Duration) []kuma.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	missing := func() []kuma.Key {
		return slices.DeleteFunc(slices.Clone(keys), func(key kuma.Key) bool { return s.resource(key).typeName != "" })
	}
	s.wait(ctx, timeout, func() bool { return len(missing()) == 0 })
	return missing()
}

// awaitDeletion waits until this run has deleted a resource that prevents a
// creation. It returns false if that does not happen.
func (s *runState) awaitDeletion(ctx context.Context, key kuma.Key, timeout time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.resource(key)
	if !s.wait(ctx, timeout, func() bool { return r.deleted }) {
		return false
	}
	r.deleted = false
	return true
}

// wait waits for done, which it calls with the lock held. It gives up when
// Terraform has sent no requests for the duration of timeout, apart from calls
// that wait, and when another call has given up and nothing has changed since.
func (s *runState) wait(ctx context.Context, timeout time.Duration, done func() bool) bool {
	s.waiting++
	defer func() { s.waiting-- }()
	for !done() {
		left := timeout
		if s.calls <= s.waiting {
			left -= time.Since(s.lastCall)
		}
		if left <= 0 || s.timedOut {
			s.timedOut = true
			return false
		}
		s.sleep(ctx, left)
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}

// sleep waits for a change of the record, but not longer than timeout. The lock is
// held when it is called and when it returns.
func (s *runState) sleep(ctx context.Context, timeout time.Duration) {
	changed := s.changed
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-time.After(timeout):
	}
}

package runstate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// State records, for one plan or one apply, which resources the state has
// and what the plan does with them. Terraform starts a provider for each, and
// sends requests about one resource at a time: the second half of a
// replacement, for instance, looks like the creation of a resource that already
// exists. With the record, a resource of this state is not mistaken for one of
// another client.
//
// Terraform 1.15 is different in `terraform test`: one provider serves all runs
// of a file. It is configured without a request to validate the configuration,
// which plan and apply send first.
type State struct {
	mu        sync.Mutex
	changed   chan struct{} // closed, and replaced, when a waiting call should check again
	resources map[kuma.Key]*Resource
	applying  bool

	// Several is true if Terraform makes more than one plan and apply with this
	// provider. A block is then planned again, and looks like a second one of its key.
	Several bool

	// Creations of resources that exist, and of which it is not known whether
	// they are in the state. One of them waits, and reports all.
	unresolved []Unresolved
	reporting  bool

	analyses []Analysis // while planning

	meshes map[string]kuma.Resource // planned with changes; values may be [tree.Unknown]

	before map[kuma.Key]kuma.Resource // see recordWrite

	// timedOut is true if a wait timed out, and nothing of the state has been
	// shown or deleted since: waiting again would have the same result.
	timedOut bool

	calls, waiting int // calls of Terraform, and those of them that wait
	lastCall       time.Time
	StateTimeout   time.Duration
	DeleteTimeout  time.Duration
}

// Resource is what is known about the resource with a key.
type Resource struct {
	TypeName string // of the Terraform resource in the state; empty for none
	Action   Action
	NewType  string // of the Terraform resource that is created
	Creation Creation
	Deleted  bool    // by this run
	Version  string  // fingerprint of the version that this run deletes
	Replaces *string // fingerprint of the stored version that the creation replaces without deleting it first
	Created  bool    // or adopted, by this run
	Reported bool    // as one that exists

	labels map[string]string // after the plan; nil unless the plan changes the resource
}

// Action is what the plan does with a resource of the state.
type Action int

// What a plan does with a resource. It is unknown until Terraform plans the resource.
const (
	actionUnknown Action = iota
	ActionKeep
	ActionRename // its block has another key
	ActionDelete
)

// Destroys reports whether the plan destroys the resource with the key.
func (a Action) Destroys() bool { return a == ActionRename || a == ActionDelete }

// Creation is the kind of a planned creation.
type Creation int

// Why a plan creates a resource.
const (
	CreationNone        Creation = iota
	CreationNew                  // of a resource that the state does not have, or a tainted one
	CreationReplacement          // the second half of the replacement of one with another key
	CreationSameKey              // the second half of the replacement of one with the same key
)

// Conflict is why a resource cannot be created.
type Conflict int

// What conflicts with a creation.
const (
	ConflictNone       Conflict = iota
	ConflictTwoBlocks           // the configuration has it at another address too
	ConflictMovedBlock          // the state has it at an address that is not in the configuration
	ConflictDestroyed           // the state has it at another address too, which the plan destroys
)

const (
	// stateTimeout is how long Terraform must send no requests until resources
	// that it has not sent are considered not to be in the state. If it was
	// only busy with other providers, an error gives the wrong reason, but
	// nothing else is affected.
	stateTimeout = 5 * time.Second
	// deleteTimeout is the same for an apply that waits for a deletion.
	deleteTimeout = 20 * time.Second
	// AdoptTimeout is used instead of both where existing resources may be adopted.
	AdoptTimeout = 500 * time.Millisecond
)

// New returns the record of a run that begins.
func New() *State {
	return &State{changed: make(chan struct{}), resources: map[kuma.Key]*Resource{}, meshes: map[string]kuma.Resource{}, before: map[kuma.Key]kuma.Resource{}, StateTimeout: stateTimeout, DeleteTimeout: deleteTimeout}
}

// Restart forgets the resources of the run: what follows belongs to another plan or apply.
func (s *State) Restart() {
	s.update(func() { s.resources, s.applying = map[kuma.Key]*Resource{}, false })
}

// Call marks the start of a call of Terraform; done marks its end.
func (s *State) Call() (done func()) {
	s.update(func() { s.calls++ })
	return func() { s.update(func() { s.calls-- }) }
}

// InProgress returns the number of calls of Terraform that have not ended.
func (s *State) InProgress() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// update changes the record, and wakes up waiting calls.
func (s *State) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.lastCall = time.Now()
	if s.waiting > 0 {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

func (s *State) resource(key kuma.Key) *Resource {
	r, ok := s.resources[key]
	if !ok {
		r = &Resource{}
		s.resources[key] = r
	}
	return r
}

// Get returns what is known of a resource.
func (s *State) Get(key kuma.Key) Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.resource(key)
}

// RecordState records that the resource is in the state.
func (s *State) RecordState(key kuma.Key, typeName string) {
	s.update(func() {
		s.resource(key).TypeName = typeName
		s.timedOut = false
	})
}

// RecordApply records that a plan is being applied.
func (s *State) RecordApply() {
	s.update(func() { s.applying = true })
}

// RecordDeletion records that this run is about to delete the version of a resource with
// the fingerprint.
func (s *State) RecordDeletion(key kuma.Key, fingerprint string) {
	s.update(func() { s.resource(key).Version = fingerprint })
}

// RecordDeleted records that this run deleted the resource.
func (s *State) RecordDeleted(key kuma.Key) {
	s.update(func() {
		*s.resource(key) = Resource{Deleted: true, Version: s.resource(key).Version}
		s.timedOut = false
	})
}

// RecordReplaced records that the creation of a resource replaces the stored version
// with the fingerprint, which this run has not deleted.
func (s *State) RecordReplaced(key kuma.Key, fingerprint string) {
	s.update(func() {
		*s.resource(key) = Resource{Replaces: &fingerprint, Version: s.resource(key).Version}
		s.timedOut = false
	})
}

// RecordCreated records that this run created or adopted the resource.
func (s *State) RecordCreated(key kuma.Key) {
	s.update(func() { s.resource(key).Created = true })
}

// RecordPlan records what the plan does with a resource of the state, and
// returns the conflict with others of the same key.
func (s *State) RecordPlan(key kuma.Key, typeName string, action Action) (found Conflict) {
	s.update(func() {
		r := s.resource(key)
		if s.Several { // the state has what an earlier apply created
			r.Creation, r.Created, r.Action = CreationNone, false, actionUnknown
		}
		switch {
		case r.Action == ActionKeep && action == ActionKeep:
			found = ConflictTwoBlocks
		case s.applying:
		case r.Action == ActionKeep && action.Destroys():
			found = ConflictDestroyed
		case r.Action.Destroys() && action == ActionKeep:
			found = ConflictDestroyed
			return // the type remains that of the address that is destroyed
		}
		r.TypeName, r.Action = typeName, action
		if found == ConflictNone && !s.applying {
			found = r.conflict()
		}
	})
	return found
}

// RecordLabels records the labels that the plan gives to a resource.
func (s *State) RecordLabels(key kuma.Key, labels map[string]string) {
	s.update(func() { s.resource(key).labels = labels })
}

// HasLabel reports whether a stored or planned resource of a kind in a mesh has a label
// with a value, after the plan.
func (s *State) HasLabel(stored []kuma.Resource, kind, mesh, label, value string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range stored {
		planned, ok := s.resources[r.Key()]
		if (!ok || planned.labels == nil && planned.Action != ActionDelete) && r.Labels[label] == value {
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

// RecordMesh records what the plan makes of a mesh.
func (s *State) RecordMesh(mesh kuma.Resource) {
	s.update(func() { s.meshes[mesh.Name] = mesh })
}

// PlannedMesh returns a mesh that the plan creates or changes.
func (s *State) PlannedMesh(name string) (mesh kuma.Resource, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mesh, ok = s.meshes[name]
	return mesh, ok
}

// conflict returns why a resource that is also in the state cannot be created.
// While the action is not known, the resource may be tainted, which is not a
// conflict.
func (r *Resource) conflict() Conflict {
	switch {
	case r.Creation == CreationNone || r.Creation == CreationSameKey:
		return ConflictNone
	case r.Action == ActionKeep:
		return ConflictTwoBlocks
	case r.Action == ActionDelete && r.Creation == CreationNew:
		return ConflictMovedBlock
	default:
		return ConflictNone
	}
}

// RecordCreation records that the plan creates the resource, and returns a
// conflict if it does so twice. mayExist is false if an existing resource does
// not have to be looked for.
func (s *State) RecordCreation(key kuma.Key, typeName string, how Creation) (found Conflict, mayExist bool) {
	s.update(func() {
		r := s.resource(key)
		if r.Creation != CreationNone && !s.Several {
			found = ConflictTwoBlocks
		}
		r.NewType, r.Creation = typeName, how
		mayExist = found == ConflictNone && how != CreationSameKey && !s.applying // an apply finds out when it creates
	})
	return found, mayExist
}

// Unresolved is a planned creation of a resource that exists.
type Unresolved interface{ Key() kuma.Key }

// Resolve decides about a planned creation of a resource that exists: it
// returns the conflict if the resource is in the state. After the timeout, one
// of the waiting calls returns all creations of resources that are not in the state.
func (s *State) Resolve(ctx context.Context, e Unresolved, timeout time.Duration) (Conflict, []Unresolved) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.resource(e.Key())
	if own.TypeName != "" {
		return own.conflict(), nil
	}
	s.unresolved = append(s.unresolved, e)
	if s.reporting {
		return ConflictNone, nil
	}
	s.reporting = true
	defer func() { s.reporting, s.unresolved = false, nil }()
	inState := func(e Unresolved) bool { return s.resource(e.Key()).TypeName != "" }
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
	var foreign []Unresolved
	for _, e := range s.unresolved {
		if !inState(e) {
			s.resource(e.Key()).Reported = true
			foreign = append(foreign, e)
		}
	}
	return own.conflict(), foreign
}

// NotInState returns the resources that the state does not have, after it has waited for
// Terraform to send all of it.
func (s *State) NotInState(ctx context.Context, keys []kuma.Key, timeout time.Duration) []kuma.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	missing := func() []kuma.Key {
		return slices.DeleteFunc(slices.Clone(keys), func(key kuma.Key) bool { return s.resource(key).TypeName != "" })
	}
	s.wait(ctx, timeout, func() bool { return len(missing()) == 0 })
	return missing()
}

// AwaitDeletion waits until this run has deleted a resource that prevents a
// creation. It returns false if that does not happen.
func (s *State) AwaitDeletion(ctx context.Context, key kuma.Key, timeout time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.resource(key)
	if !s.wait(ctx, timeout, func() bool { return r.Deleted }) {
		return false
	}
	r.Deleted = false
	return true
}

// wait waits for done, which it calls with the lock held. It gives up when
// Terraform has sent no requests for the duration of timeout, apart from calls
// that wait, and when another call has given up and nothing has changed since.
func (s *State) wait(ctx context.Context, timeout time.Duration, done func() bool) bool {
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
func (s *State) sleep(ctx context.Context, timeout time.Duration) {
	changed := s.changed
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-time.After(timeout):
	}
}

package runstate

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Resource is what is known about the resource with a key: where the state has it, and
// whether the plan creates it. A replacement with the same key has both.
type Resource struct {
	Stage    Stage
	TypeName string // of the Terraform resource that the state has or had
	Version  string // fingerprint of the version that this run deletes or writes over

	Creation Creation
	Progress Progress // of the creation
	NewType  string   // of the Terraform resource that is created

	labels  map[string]string // after the plan; nil unless the plan changes the resource
	changes bool              // the plan creates or changes it

	unchanged bool // the plan keeps it as it is
	refers    bool // see State.Referring
}

// Stage is how far a run has come with a resource of the state:
//
//	request of Terraform                     next stage
//	UpgradeResourceState, MoveResourceState  InState
//	ReadResource                             Read
//	PlanResourceChange, same key             Kept
//	PlanResourceChange, another key          Renamed
//	PlanResourceChange, no resource          Destroyed
//	ApplyResourceChange, no resource         Deleted, or Overwritten
//
// Without a refresh, or in an apply, stages are skipped. These resources remain InState in
// a plan: one that a `removed` block forgets, about which Terraform sends no other request,
// and without a refresh a tainted one, which it plans like a new one.
type Stage int

// The stages of a resource.
const (
	StageNone        Stage = iota // the state does not have it, as far as is known
	StageInState                  // the state has it
	StageRead                     // the plan does not forget it
	StageKept                     // the plan keeps it, possibly changed
	StageRenamed                  // the plan destroys it, because its block has another key
	StageDestroyed                // the plan destroys it
	StageDeleted                  // this run has deleted it
	StageOverwritten              // this run writes its replacement over it instead of deleting it first
)

// InState reports whether the state has the resource, and this run has not deleted it.
func (s Stage) InState() bool { return s >= StageInState && s <= StageDestroyed }

// Destroys reports whether the plan destroys the resource.
func (s Stage) Destroys() bool { return s == StageRenamed || s == StageDestroyed }

// unplanned reports whether the state has the resource, and the plan has not said yet what
// happens to it.
func (s Stage) unplanned() bool { return s == StageInState || s == StageRead }

// Creation is the kind of a planned creation.
type Creation int

// Why a plan creates a resource.
const (
	CreationNone        Creation = iota
	CreationNew                  // of a resource that the state does not have, or a tainted one
	CreationReplacement          // the second half of the replacement of one with another key
	CreationSameKey              // the second half of the replacement of one with the same key
)

// Progress is how far a run has come with a creation.
type Progress int

// The progress of a creation.
const (
	ProgressNone     Progress = iota
	ProgressPlanned           // by PlanResourceChange without a state
	ProgressReported          // the same, and the plan has reported that the resource exists
	ProgressDone              // created or adopted by this run
)

// Conflict is why a resource cannot be created.
type Conflict int

// What conflicts with a creation.
const (
	ConflictNone       Conflict = iota
	ConflictTwoBlocks           // the configuration has it at another address too
	ConflictMovedBlock          // the state has it at an address that is not in the configuration
	ConflictDestroyed           // the state has it at another address too, which the plan destroys
	ConflictMesh                // the plan deletes its mesh
)

// conflict returns why a resource that is also in the state cannot be created.
// While its plan is not known, the resource may be tainted, which is not a
// conflict.
func (r *Resource) conflict() Conflict {
	switch {
	case r.Creation == CreationNone || r.Creation == CreationSameKey:
		return ConflictNone
	case r.Stage == StageKept:
		return ConflictTwoBlocks
	case r.Stage == StageDestroyed && r.Creation == CreationNew:
		return ConflictMovedBlock
	default:
		return ConflictNone
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
		r := s.resource(key)
		r.TypeName, s.waited = typeName, 0
		if r.Stage == StageNone {
			r.Stage = StageInState
		}
	})
}

// RecordRead records that Terraform refreshes a resource of the state. It does so once in
// a plan, and not in an apply.
func (s *State) RecordRead(key kuma.Key, typeName string) {
	s.update(func() {
		if s.options.Shared && s.resource(key).Stage >= StageRead {
			s.reset()
		}
		s.beginPlan()
		s.refresh = refreshes
		if r := s.resource(key); r.Stage <= StageRead {
			r.TypeName, r.Stage = typeName, StageRead
		}
	})
}

// RecordPlan records the stage that a plan gives to a resource of the state, and
// returns the conflict with others of the same key.
func (s *State) RecordPlan(key kuma.Key, typeName string, stage Stage) (found Conflict) {
	s.update(func() {
		r := s.resource(key)
		if s.options.Shared && r.Stage == StageKept && stage == StageDestroyed {
			s.forgetPlan()
		}
		if s.refresh == refreshUnknown && r.Stage == StageInState {
			s.refresh = refreshesNot
		}
		switch {
		case s.options.Shared: // an apply plans again
		case r.Stage == StageKept && stage == StageKept:
			found = ConflictTwoBlocks
		case s.phase == applying:
		case r.Stage == StageKept && stage.Destroys():
			found = ConflictDestroyed
		case r.Stage.Destroys() && stage == StageKept:
			found = ConflictDestroyed
			return // the type remains that of the address that is destroyed
		}
		r.TypeName, r.Stage = typeName, stage
		if found == ConflictNone && s.phase == planning {
			found = r.conflict()
		}
		if found == ConflictNone && stage == StageKept && s.lost[key] {
			found = ConflictMesh
		}
	})
	return found
}

// forgetPlan forgets what a plan does that Terraform does not apply. What is destroyed may belong to the next plan.
func (s *State) forgetPlan() {
	s.refresh = refreshUnknown
	for _, r := range s.resources {
		stage := r.Stage
		if stage == StageRead || stage == StageKept || stage == StageRenamed {
			stage = StageInState
		}
		*r = Resource{Stage: stage, TypeName: r.TypeName}
	}
}

// RecordCreation records that the plan creates the resource, and returns a
// conflict if it does so twice. mayExist is false if an existing resource does
// not have to be looked for.
func (s *State) RecordCreation(key kuma.Key, typeName string, how Creation) (found Conflict, mayExist bool) {
	s.update(func() {
		r := s.resource(key)
		switch mesh := kuma.MeshKey(key.Mesh); {
		case r.Creation != CreationNone && !s.options.Shared: // where an apply plans again
			found = ConflictTwoBlocks
		case s.lost[mesh] && s.resource(mesh).Creation == CreationNone:
			found = ConflictMesh
		}
		r.NewType, r.Creation, r.Progress = typeName, how, ProgressPlanned
		mayExist = found == ConflictNone && how != CreationSameKey && s.phase == planning // an apply finds out when it creates
	})
	return found, mayExist
}

// RecordDeletion records that this run is about to delete the version of a resource with
// the fingerprint.
func (s *State) RecordDeletion(key kuma.Key, fingerprint string) {
	s.update(func() { s.resource(key).Version = fingerprint })
}

// RecordDeleted records that this run deleted the resource.
func (s *State) RecordDeleted(key kuma.Key) {
	s.update(func() { s.resource(key).Stage, s.waited = StageDeleted, 0 })
}

// RecordOverwritten records that the creation of a resource replaces the stored version
// with the fingerprint, which this run has not deleted.
func (s *State) RecordOverwritten(key kuma.Key, fingerprint string) {
	s.update(func() {
		r := s.resource(key)
		r.Stage, r.Version, s.waited = StageOverwritten, fingerprint, 0
	})
}

// RecordCreated records that this run created or adopted the resource.
func (s *State) RecordCreated(key kuma.Key) {
	s.update(func() { s.resource(key).Progress = ProgressDone })
}

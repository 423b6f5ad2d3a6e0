package runstate

import (
	"sync"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// State is the record of a run. Terraform starts a provider for each plan and for each
// apply, and the run begins when it configures the provider. With the record, a resource
// of the state is not mistaken for one of another client: the second half of a
// replacement, for instance, looks like the creation of a resource that already exists.
//
// Terraform 1.15 is different in `terraform test`: a shared provider serves all runs of a
// file. There, a run consists of a plan and its apply, and the next one begins with the
// first request that an apply does not send.
type State struct {
	options Options

	mu        sync.Mutex
	changed   chan struct{} // closed, and replaced, when a waiting call should check again
	phase     phase
	refresh   refresh
	resources map[kuma.Key]*Resource

	// Creations of resources that exist, and of which it is not known whether they are
	// in the state. The first of them waits, and reports all.
	unresolved []unresolved

	analyses []Analysis // while planning

	meshes map[string]kuma.Resource // planned with changes; values may be [tree.Unknown]

	lost map[kuma.Key]bool // see RecordMeshDeletion

	referenced map[kuma.Key]kuma.Resource // see RecordReferenced
	unknown    map[string]bool            // see RecordUnknown

	awaited  []kuma.Key           // see AwaitReferring
	reported map[Reference]string // see Referring

	before map[kuma.Key]kuma.Resource // see RecordWrite
	began  time.Time                  // when the apply began; zero while planning

	// waited is how long a wait took that timed out, if nothing of the state has been
	// shown or deleted since: waiting again would have the same result.
	waited time.Duration

	calls, waiting int // calls of Terraform, and those of them that wait
	lastCall       time.Time
}

// Options are the circumstances of a run.
type Options struct {
	// Shared is true if Terraform makes several plans and applies with this provider.
	Shared bool
	// Restarted is called when the next run of a shared provider begins, nil for nothing.
	Restarted func()
	// Waits are [DefaultWaits] if they are zero.
	Waits Waits
}

// phase is what Terraform does.
type phase int

const (
	planning phase = iota // or applying, before the first write
	applying
)

// refresh is whether the plan reads the resources of the state. Terraform does not say it.
type refresh int

const (
	refreshUnknown refresh = iota
	refreshes
	refreshesNot // -refresh=false
)

// New returns the record of a run that begins.
func New(o Options) *State {
	if o.Waits == (Waits{}) {
		o.Waits = DefaultWaits
	}
	s := &State{options: o, changed: make(chan struct{})}
	s.reset()
	return s
}

// Restart begins the next run.
func (s *State) Restart() { s.update(s.reset) }

func (s *State) reset() {
	s.phase, s.refresh, s.waited = planning, refreshUnknown, 0
	s.resources, s.meshes, s.before = map[kuma.Key]*Resource{}, map[string]kuma.Resource{}, map[kuma.Key]kuma.Resource{}
	s.referenced, s.unknown, s.reported = map[kuma.Key]kuma.Resource{}, map[string]bool{}, map[Reference]string{}
	s.analyses, s.began, s.lost = nil, time.Time{}, map[kuma.Key]bool{}
	if s.options.Restarted != nil {
		s.options.Restarted()
	}
}

// BeginPlan is called before anything is planned that an apply does not plan again: what
// stays as it is, and deletions.
func (s *State) BeginPlan() { s.update(s.beginPlan) }

func (s *State) beginPlan() {
	if s.options.Shared && s.phase == applying {
		s.reset()
	}
}

// BeginCreation is called before a creation is planned. An apply plans those again that
// its plan has announced. The key is the zero value while it is not known.
func (s *State) BeginCreation(key kuma.Key) {
	s.update(func() {
		_, unnamed := s.resources[kuma.Key{}]
		if r := s.resource(key); !unnamed && r.Progress != ProgressPlanned && r.Progress != ProgressReported {
			s.beginPlan()
		}
		s.resource(key)
	})
}

// RecordApply records that a plan is being applied.
func (s *State) RecordApply() {
	s.update(func() {
		if s.phase != applying {
			s.phase, s.began = applying, time.Now()
		}
	})
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

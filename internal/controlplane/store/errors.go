package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ReadError reports that nothing was written because the stored resource cannot be
// read.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ReadError) Unwrap() error { return e.Err }

// ChangedError reports that a resource differs from what the caller has read, and
// that it was not written.
type ChangedError struct {
	Key     kuma.Key
	Deleted bool
	At      time.Time // of the change; zero if unknown
}

func (e *ChangedError) Error() string {
	switch {
	case e.Deleted:
		return fmt.Sprintf("%s was deleted by another client", e.Key)
	case e.At.IsZero():
		return fmt.Sprintf("%s was changed by another client", e.Key)
	default:
		return fmt.Sprintf("%s was changed by another client at %s", e.Key, e.At.Format("2006-01-02 15:04:05 MST"))
	}
}

// UnknownFieldsError reports that nothing was written because that would have removed
// fields that the kind does not describe.
type UnknownFieldsError struct {
	Key   kuma.Key
	Paths []tree.Path
}

func (e *UnknownFieldsError) Error() string {
	texts := strings.Join(phrase.Each(e.Paths, tree.Path.String), ", ")
	return fmt.Sprintf("%s has fields of a later release, which would be removed: %s", e.Key, texts)
}

// MissingSecretError reports that a resource was not created because it has no value for
// a secret, which the control plane would store as an empty one.
type MissingSecretError struct{ Key kuma.Key }

func (e *MissingSecretError) Error() string {
	return fmt.Sprintf("%s would be created without a value", e.Key)
}

// OverwrittenError reports that the creation of a resource replaced one that another
// client created at the same time.
type OverwrittenError struct{ Key kuma.Key }

func (e *OverwrittenError) Error() string {
	return fmt.Sprintf("%s was created by another client at the same time, and has been overwritten", e.Key)
}

// NotCarriedOutError reports that the control plane acknowledged a write or a deletion, and
// does not have what was written, or still has what was deleted.
type NotCarriedOutError struct {
	Key     kuma.Key
	Deleted bool
}

func (e *NotCarriedOutError) Error() string {
	request, result := "write", "does not have"
	if e.Deleted {
		request, result = "deletion", "still has"
	}
	return fmt.Sprintf("the control plane acknowledged the %s of %s, and %s it. "+
		"Try again; if the error persists, check that no proxy responds instead of the control plane", request, e.Key, result)
}

// OrphanedError reports that a resource was not deleted because its mesh was deleted before
// it. The control plane keeps some kinds, such as Secret, and accepts no request for
// them until the mesh exists again.
type OrphanedError struct{ Key kuma.Key }

func (e *OrphanedError) Error() string {
	return fmt.Sprintf("mesh %q was deleted first, and the control plane keeps each %s of a deleted mesh", e.Key.Mesh, e.Key.Type)
}

// ReadOnlyError reports that a control plane does not accept changes through its API.
type ReadOnlyError struct {
	Kubernetes bool // it stores resources in Kubernetes, where other tools write them
}

func (e *ReadOnlyError) Error() string {
	if e.Kubernetes {
		return "the control plane runs on Kubernetes and does not accept changes through its API"
	}
	return "the control plane is configured as read-only"
}

// SyncedError reports that a resource is a copy of one on another control plane, and
// can only be changed there.
type SyncedError struct {
	Key  kuma.Key
	Zone string // that has the original; empty for the global control plane
}

func (e *SyncedError) Error() string {
	if e.Zone == "" {
		return fmt.Sprintf("%s belongs to the global control plane, and this zone has a copy of it", e.Key)
	}
	return fmt.Sprintf("%s belongs to zone %q, and the global control plane has a copy of it", e.Key, e.Zone)
}

package controlplane

import (
	"fmt"
	"strings"
)

// Call is the request that failed. It never holds a secret: the token is a
// header.
type Call struct{ Method, Path string }

// String returns method and path.
func (c Call) String() string { return c.Method + " " + c.Path }

// NotFoundError says that the control plane knows the kind but has no such
// resource, or no such mesh.
type NotFoundError struct {
	Call
	Mesh bool // the mesh does not exist, and so nothing in it does
}

// Error implements error.
func (e *NotFoundError) Error() string {
	if e.Mesh {
		return fmt.Sprintf("%s: the mesh does not exist: create it first", e.Call)
	}
	return fmt.Sprintf("%s: not found", e.Call)
}

// UnknownKindError says that the server has no such path: it is not a control
// plane, it has another base path, or it does not know the kind. It never means
// that a resource is gone.
type UnknownKindError struct{ Call }

// Error implements error.
func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("%s: the server does not know this path: check the endpoint and its base path, and whether this version of the control plane has the kind", e.Call)
}

// InvalidError says that the control plane refuses the request.
type InvalidError struct {
	Call
	Title, Detail string
	Violations    []Violation // in no order; may be empty
}

// Violation is one reason for a refusal.
type Violation struct {
	Field  string // path in the document, see [spec.ParsePath]; empty when there is none
	Reason string
}

// Error implements error.
func (e *InvalidError) Error() string {
	reasons := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		reasons[i] = v.Reason
		if v.Field != "" {
			reasons[i] = v.Field + ": " + v.Reason
		}
	}
	if len(reasons) == 0 {
		reasons = []string{e.Detail}
	}
	return fmt.Sprintf("%s: %s: %s", e.Call, strings.ToLower(e.Title), strings.Join(reasons, "; "))
}

// UnauthorizedError says that the control plane does not accept the token.
type UnauthorizedError struct{ Call }

// Error implements error.
func (e *UnauthorizedError) Error() string {
	return fmt.Sprintf("%s: the control plane does not accept the token: it may be expired, revoked or of another control plane; get a new one", e.Call)
}

// ForbiddenError says that the caller may not do this.
type ForbiddenError struct {
	Call
	Detail string
}

// Error implements error.
func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%s: access denied: %s: use the token of a user with that right", e.Call, e.Detail)
}

// NotAllowedError says that resources of this kind cannot be written here: the
// control plane is read-only, or the kind belongs to the other of zone and global.
type NotAllowedError struct {
	Call
	Detail string
}

// Error implements error.
func (e *NotAllowedError) Error() string {
	return fmt.Sprintf("%s: this control plane does not take the change: %s: write to the zone or the global control plane that owns the kind", e.Call, e.Detail)
}

// ConflictError says that others kept writing the same resource at the same
// time. Nothing was stored.
type ConflictError struct {
	Call
	Detail string
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: others write the resource at the same time: try again (%s)", e.Call, e.Detail)
}

// ServerError says that the control plane, or a proxy in front of it, failed.
// Whether a write took place is not known.
type ServerError struct {
	Call
	Status        int
	Title, Detail string
}

// Error implements error.
func (e *ServerError) Error() string {
	return fmt.Sprintf("%s: the server failed with status %d: %s: %s", e.Call, e.Status, strings.ToLower(e.Title), e.Detail)
}

// UnexpectedAnswerError says that whatever answered does not speak the API of
// a control plane.
type UnexpectedAnswerError struct {
	Call
	Status int // 0 when the answer was not even looked at
	Reason string
}

// Error implements error.
func (e *UnexpectedAnswerError) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%s: %s", e.Call, e.Reason)
	}
	return fmt.Sprintf("%s: status %d, but %s: is the endpoint a control plane?", e.Call, e.Status, e.Reason)
}

// UnreachableError says that there is no answer. Whether a write took place is
// not known.
type UnreachableError struct {
	Call
	Endpoint string
	Err      error
}

// Error implements error.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s: cannot reach the control plane at %s: %v", e.Call, e.Endpoint, e.Err)
}

// Unwrap returns the reason.
func (e *UnreachableError) Unwrap() error { return e.Err }

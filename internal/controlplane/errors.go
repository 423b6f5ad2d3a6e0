package controlplane

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Call is the request that failed. It never holds a secret: the token is a
// header.
type Call struct {
	Method, Path string
	InProcess    bool // see [Config]
}

// String returns method and path.
func (c Call) String() string { return c.Method + " " + c.Path }

// choose returns the text that fits what the request was sent to.
func (c Call) choose(toServer, inProcess string) string {
	if c.InProcess {
		return inProcess
	}
	return toServer
}

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
	return fmt.Sprintf("%s: the control plane does not have it: it may have been deleted, or never made", e.Call)
}

// UnknownKindError says that the server has no such path: it is not a control
// plane, it has another base path, or it does not know the kind. It never means
// that a resource is gone.
type UnknownKindError struct{ Call }

// Error implements error.
func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("%s: %s", e.Call, e.choose(
		"the server does not know this path: check the endpoint and its base path, and whether this version of the control plane has the kind",
		"the embedded control plane has no such kind: use a kind that the provider has a resource for"))
}

// SigningKeyError says that the control plane has no key to sign a token with:
// the mesh does not exist, or keys of this kind belong to another control plane.
type SigningKeyError struct {
	Call
	Detail string
}

// Error implements error.
func (e *SigningKeyError) Error() string {
	return fmt.Sprintf("%s: the control plane cannot sign the token: %s: the mesh must exist before a token for it is issued, and the token of a zone comes from the global control plane", e.Call, strings.TrimSuffix(e.Detail, "."))
}

// InvalidError says that the control plane refuses the request.
type InvalidError struct {
	Call
	Title, Detail string
	Violations    []Violation // in no order; may be empty
}

// Violation is one reason for a refusal.
type Violation struct {
	Field  string // path in the document, see [tree.ParsePath]; empty when there is none
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

// ConflictError says that somebody else wrote the same resource at the same
// time. Nothing was stored (rest-api.md §19). It is not repeated here: what
// the other one wrote has to be looked at first.
type ConflictError struct {
	Call
	Detail string
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: somebody else wrote the resource at the same time: try again (%s)", e.Call, e.Detail)
}

// ExistsError says that there is such a resource already, so that nothing was
// created.
type ExistsError struct{ Call }

// Error implements error.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s: the resource exists already", e.Call)
}

// ServerError says that the control plane, or a proxy in front of it, failed or
// is too busy.
type ServerError struct {
	Call
	Status        int
	Attempts      int
	Wait          time.Duration // what it asks for in Retry-After; 0 when it does not
	Title, Detail string
}

// Error implements error.
func (e *ServerError) Error() string {
	if e.InProcess {
		return fmt.Sprintf("%s: the embedded control plane failed: %s", e.Call, e.Detail)
	}
	advice := "try again, and look at the log of the server if it stays so"
	switch {
	case e.Wait > 0:
		advice = "it asks to be left alone for " + e.Wait.Round(time.Second).String() + ": try again then"
	case e.Status == http.StatusTooManyRequests:
		advice = "try again with fewer requests at a time"
	}
	return fmt.Sprintf("%s: the server failed with status %d%s: %s: %s: %s", e.Call, e.Status, times(e.Attempts), strings.ToLower(e.Title), e.Detail, advice)
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
	return fmt.Sprintf("%s: status %d, but %s%s", e.Call, e.Status, e.Reason, e.choose(": check that the endpoint is a control plane, and that no proxy answers in its place", ""))
}

// UnreachableError says that there is no answer.
type UnreachableError struct {
	Call
	Endpoint string
	Attempts int
	Err      error
}

// Error implements error.
func (e *UnreachableError) Error() string {
	if e.InProcess {
		return fmt.Sprintf("%s: the embedded control plane did not answer: %v", e.Call, e.Err)
	}
	return fmt.Sprintf("%s: cannot reach the control plane at %s%s: %v: %s", e.Call, e.Endpoint, times(e.Attempts), e.Err, advice(e.Err))
}

// Unwrap returns the reason.
func (e *UnreachableError) Unwrap() error { return e.Err }

// InterruptedError says that the context ended before there was an answer.
type InterruptedError struct {
	Call
	Err error // of the context
}

// Error implements error.
func (e *InterruptedError) Error() string {
	return fmt.Sprintf("%s: interrupted before the control plane answered: %v: run it again", e.Call, e.Err)
}

// Unwrap returns the error of the context.
func (e *InterruptedError) Unwrap() error { return e.Err }

// UnknownOutcomeError says that a write failed and may have taken place all the
// same: the connection broke, or something between client and server failed,
// when the request had been sent. Read the resource to find out.
type UnknownOutcomeError struct{ Err error }

// Error implements error.
func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("%v (the change may have been made all the same)", e.Err)
}

// Unwrap returns the failure.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// times tells how often a request was tried, unless it was once.
func times(attempts int) string {
	if attempts < 2 {
		return ""
	}
	return fmt.Sprintf(" %d times", attempts)
}

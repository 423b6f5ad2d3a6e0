package controlplane

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Call is the request that failed. It never contains a secret: the token is a
// header.
type Call struct {
	Method, Path string
	InProcess    bool // see [Config]
}

// String returns method and path.
func (c Call) String() string { return c.Method + " " + c.Path }

// choose returns the text for a server or for a control plane in this process.
func (c Call) choose(toServer, inProcess string) string {
	if c.InProcess {
		return inProcess
	}
	return toServer
}

// NotFoundError reports that the control plane knows the kind but has no such
// resource, or no such mesh.
type NotFoundError struct {
	Call
	Mesh bool // the mesh does not exist, and so nothing in it does
}

func (e *NotFoundError) Error() string {
	if e.Mesh {
		return fmt.Sprintf("%s: the mesh does not exist. Create it first", e.Call)
	}
	return fmt.Sprintf("%s: not found: the resource was deleted or never created", e.Call)
}

// UnknownKindError reports that the server has no such path: it is not a control
// plane, its base path is different, or it does not support the kind. It does not
// mean that a resource is gone, unless an upgrade removed the kind.
type UnknownKindError struct{ Call }

func (e *UnknownKindError) Error() string {
	if e.Path == "/" { // which every control plane has
		return fmt.Sprintf("%s: no control plane answers here. "+
			"Check the host, the port (5681 for HTTP and 5682 for HTTPS by default) and the base path of the endpoint", e.Call)
	}
	return fmt.Sprintf("%s: %s", e.Call, e.choose(
		"the server has no such path. Check the endpoint and its base path, and whether this version of the control plane supports the kind",
		"the embedded control plane does not support this kind. Use a kind that the provider has a resource for"))
}

// SigningKeyError reports that the control plane has no key to sign a token with:
// the mesh does not exist, or keys of this kind belong to another control plane.
type SigningKeyError struct {
	Call
	Detail string
}

func (e *SigningKeyError) Error() string {
	return fmt.Sprintf("%s: the control plane has no key to sign the token: %s. "+
		"Create the mesh before issuing a token for it; issue zone tokens on the global control plane", e.Call, strings.TrimSuffix(e.Detail, "."))
}

// InvalidError reports that the control plane rejected the request as invalid.
type InvalidError struct {
	Call
	Title, Detail string
	Violations    []Violation // in no particular order; may be empty
}

// Violation is one reason why a request is invalid.
type Violation struct {
	Field  string // path in the document, see [tree.ParsePath]; empty when there is none
	Reason string
}

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

// UnauthorizedError reports that the control plane rejected the token.
type UnauthorizedError struct {
	Call
	Expired time.Time // when the token expired; zero when it did not, or does not say
}

func (e *UnauthorizedError) Error() string {
	reason := "it may be revoked or issued by another control plane"
	if !e.Expired.IsZero() {
		reason = "it expired at " + e.Expired.UTC().Format("2006-01-02 15:04:05 MST")
	}
	return fmt.Sprintf("%s: the control plane rejected the token: %s. Get a new token", e.Call, reason)
}

// ForbiddenError reports that the user of the token, or an anonymous user, does not
// have the permission for a request.
type ForbiddenError struct {
	Call
	Anonymous bool // no token was sent
	Detail    string
}

func (e *ForbiddenError) Error() string {
	if e.Anonymous {
		return fmt.Sprintf("%s: access denied: %s, and no token was sent", e.Call, e.Detail)
	}
	return fmt.Sprintf("%s: access denied: %s. Use the token of a user with this permission", e.Call, e.Detail)
}

// NotAllowedError reports that resources of this kind cannot be written to this
// control plane: it is read-only, or only the global one or only zones own the kind.
type NotAllowedError struct {
	Call
	Detail string
}

func (e *NotAllowedError) Error() string {
	return fmt.Sprintf("%s: the control plane does not accept the change: %s. Send it to the zone or global control plane that owns the kind",
		e.Call, e.Detail)
}

// ConflictError reports that another client wrote the same resource at the same
// time. Nothing was stored (rest-api.md §19). The request is not retried here: the
// caller must read what the other client wrote first.
type ConflictError struct {
	Call
	Detail string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: another client wrote the resource at the same time (%s). Try again", e.Call, e.Detail)
}

// ExistsError reports that the resource already exists and that nothing was
// created.
type ExistsError struct{ Call }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s: the resource already exists", e.Call)
}

// ServerError reports that the control plane, or a proxy in front of it, failed or
// is too busy.
type ServerError struct {
	Call
	Status        int
	Attempts      int
	Wait          time.Duration // from Retry-After; 0 when absent
	Title, Detail string
}

func (e *ServerError) Error() string {
	if e.InProcess {
		return fmt.Sprintf("%s: the embedded control plane failed: %s", e.Call, e.Detail)
	}
	advice := "Try again; if the error persists, check the log of the server"
	switch {
	case e.Wait > 0:
		advice = "The server asks to retry after " + e.Wait.Round(time.Second).String()
	case e.Status == http.StatusTooManyRequests:
		advice = "Try again with fewer concurrent requests"
	}
	return fmt.Sprintf("%s: the server failed with status %d%s: %s: %s. %s", e.Call, e.Status, times(e.Attempts), strings.ToLower(e.Title),
		e.Detail, advice)
}

// UnexpectedAnswerError reports that the response does not follow the API of
// a control plane.
type UnexpectedAnswerError struct {
	Call
	Status int // 0 when the response was not read
	Reason string
}

func (e *UnexpectedAnswerError) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%s: %s", e.Call, e.Reason)
	}
	return fmt.Sprintf("%s: unexpected response with status %d: %s%s", e.Call, e.Status, e.Reason,
		e.choose(". Check that the endpoint is a control plane, and that no proxy responds instead", ""))
}

// UnreachableError reports that there was no response.
type UnreachableError struct {
	Call
	Endpoint string
	Attempts int
	Err      error
}

func (e *UnreachableError) Error() string {
	if e.InProcess {
		return fmt.Sprintf("%s: the embedded control plane did not respond: %v", e.Call, e.Err)
	}
	return fmt.Sprintf("%s: cannot reach the control plane at %s%s: %v. %s", e.Call, e.Endpoint, times(e.Attempts), e.Err, advice(e.Err))
}

// Unwrap returns the reason.
func (e *UnreachableError) Unwrap() error { return e.Err }

// InterruptedError reports that the context ended before there was a response.
type InterruptedError struct {
	Call
	Err error // of the context
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("%s: interrupted before the control plane responded: %v. Run it again", e.Call, e.Err)
}

// Unwrap returns the error of the context.
func (e *InterruptedError) Unwrap() error { return e.Err }

// UnknownOutcomeError reports that a write failed and may nevertheless have been
// applied: the connection broke, or something between client and server failed,
// after the request was sent. Read the resource to find out.
type UnknownOutcomeError struct{ Err error }

func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("the change may or may not have been applied: %v", e.Err)
}

// Unwrap returns the failure.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// times returns the number of attempts as part of a sentence, empty for a single one.
func times(attempts int) string {
	if attempts < 2 {
		return ""
	}
	return fmt.Sprintf(" after %d attempts", attempts)
}

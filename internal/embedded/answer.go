package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Errors without a detail of their own.
var (
	errNotFound     = errors.New("not found")
	errMeshNotFound = errors.New("mesh not found")
)

// failure is an error response.
type failure struct {
	Type       string      `json:"type"`
	Status     int         `json:"status"`
	Title      string      `json:"title"`
	Detail     string      `json:"detail"`
	Violations []violation `json:"invalid_parameters,omitempty"`

	// The same fields under their old names, for old clients.
	Details string  `json:"details"`
	Causes  []cause `json:"causes,omitempty"`
}

type violation struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

type cause struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Title + ": " + f.Detail }

// badRequest is the response to a document that cannot be decoded.
func badRequest(detail string) *failure {
	return &failure{Status: http.StatusBadRequest, Title: "Bad Request", Detail: detail}
}

// invalid is the response to a valid document that is rejected. An empty title means
// that of the operation.
func invalid(title string, v ...violation) *failure {
	return &failure{Status: http.StatusBadRequest, Title: title, Detail: "Resource is not valid", Violations: v}
}

// alreadyExists is the response to a write that must only create (RFC 9110 §13.1.2). A
// control plane of Kuma up to 2.14 ignores the header and replaces the resource.
func alreadyExists(key kuma.Key) *failure {
	return &failure{Status: http.StatusPreconditionFailed, Title: "Resource already exists", Detail: key.String() + " already exists"}
}

// checkUnchanged checks a write of a version that the client has read, which If-Match
// identifies by its modification time (RFC 9110 §13.1.1). It responds as Kuma does to
// concurrent writes. Kuma ignores the header up to 2.14, and this control plane ignores any
// other content of it.
func checkUnchanged(conditions http.Header, modified time.Time) error {
	if read, err := time.Parse(time.RFC3339Nano, strings.Trim(conditions.Get("If-Match"), `"`)); err == nil && !read.Equal(modified) {
		return &failure{Status: http.StatusConflict, Title: "Conflict", Detail: "the resource was changed after it was read"}
	}
	return nil
}

// asFailure completes an error of the operation with the given title. An error that is
// not a failure is one of the server.
func asFailure(err error, title string) *failure {
	f := &failure{}
	switch {
	case errors.As(err, &f):
	case errors.Is(err, errMeshNotFound):
		f = &failure{Status: http.StatusNotFound, Title: "Failed to retrieve Mesh", Detail: "Not found"}
	case errors.Is(err, errNotFound):
		f = &failure{Status: http.StatusNotFound, Detail: "Not found"}
	default:
		f = &failure{Status: http.StatusInternalServerError, Detail: err.Error()}
	}
	f.Type = "/std-errors"
	if f.Title == "" {
		f.Title = title
	}
	f.Details = f.Detail
	f.Causes = phrase.Each(f.Violations, func(v violation) cause { return cause{Field: v.Field, Message: v.Reason} })
	return f
}

// violations converts problems to those of the contract: outside the spec of a newer
// kind the schema reports no field, and the reason begins with it.
func violations(problems []def.Problem) []violation {
	out := make([]violation, len(problems))
	for i, p := range problems {
		v := violation{Field: fieldPath(p.Path), Reason: reason(p)}
		if p.Stage == def.Schema && (len(p.Path) == 1 || p.Path[0] != "spec") {
			v = violation{Reason: v.Field + " in body: " + v.Reason}
		}
		out[i] = v
	}
	return out
}

// fieldPath formats a path as the contract does, with the key of a label always in
// brackets.
func fieldPath(p tree.Path) string {
	if len(p) == 2 && p[0] == "labels" {
		return fmt.Sprintf("labels[%q]", p[1])
	}
	return p.String()
}

func reason(p def.Problem) string {
	if p.Detail == "" {
		return p.Summary
	}
	return p.Detail
}

// clause returns the reason of a problem as part of a sentence.
func clause(p def.Problem) string { return strings.TrimSuffix(reason(p), ".") }

// compact marks a body that is written on one line.
type compact struct{ any }

// plain is a plain text body.
type plain string

func answer(w http.ResponseWriter, status int, body any) {
	if text, ok := body.(plain); ok {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, string(text)) // the client may have disconnected
		return
	}
	indent := " "
	if c, ok := body.(compact); ok {
		body, indent = c.any, ""
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", indent)
	if err := enc.Encode(body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may have disconnected
}

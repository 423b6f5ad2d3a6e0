package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// What handlers return for the errors that need no words of their own.
var (
	errNotFound     = errors.New("not found")
	errMeshNotFound = errors.New("mesh not found")
)

// failure is an error answer.
type failure struct {
	Type       string      `json:"type"`
	Status     int         `json:"status"`
	Title      string      `json:"title"`
	Detail     string      `json:"detail"`
	Violations []violation `json:"invalid_parameters,omitempty"`

	// The same once more, for old clients.
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

// Error makes a failure an error.
func (f *failure) Error() string { return f.Title + ": " + f.Detail }

// badRequest is the answer to a document that cannot be read.
func badRequest(detail string) *failure {
	return &failure{Status: http.StatusBadRequest, Title: "Bad Request", Detail: detail}
}

// invalid is the answer to what can be read but is refused. An empty title
// stands for that of the operation.
func invalid(title string, v ...violation) *failure {
	return &failure{Status: http.StatusBadRequest, Title: title, Detail: "Resource is not valid", Violations: v}
}

// alreadyExists is the answer to a write that may only create (RFC 9110 §13.1.2).
// A control plane of Kuma up to 2.14 ignores the header and replaces the resource.
func alreadyExists(key kuma.Key) *failure {
	return &failure{Status: http.StatusPreconditionFailed, Title: "Resource already exists", Detail: key.String() + " already exists"}
}

// asFailure completes an error for the operation with the given title. What is
// no failure of the client's making is one of the server's.
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
	for _, v := range f.Violations {
		f.Causes = append(f.Causes, cause{Field: v.Field, Message: v.Reason})
	}
	return f
}

// violations tells problems in the words of the contract: outside the spec of
// a newer kind the schema reports no field, and the reason begins with it.
func violations(problems []def.Problem) []violation {
	out := make([]violation, len(problems))
	for i, p := range problems {
		v := violation{Field: field(p.Path), Reason: reason(p)}
		if p.Stage == def.Schema && (len(p.Path) == 1 || p.Path[0] != "spec") {
			v = violation{Reason: v.Field + " in body: " + v.Reason}
		}
		out[i] = v
	}
	return out
}

// field writes a path as the contract does: the key of a label always in
// brackets.
func field(p tree.Path) string {
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

// clause is the reason of a problem as a part of a sentence.
func clause(p def.Problem) string { return strings.TrimSuffix(reason(p), ".") }

// compact marks a body that is written on one line.
type compact struct{ any }

// plain is a body that is text as it stands.
type plain string

func answer(w http.ResponseWriter, status int, body any) {
	if text, ok := body.(plain); ok {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, string(text)) // a client that went away is no concern of ours
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
	_, _ = w.Write(b.Bytes()) // a client that went away is no concern of ours
}

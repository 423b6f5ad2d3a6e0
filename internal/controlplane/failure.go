package controlplane

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// stdError is the shape of all errors of a control plane (rest-api.md §6).
type stdError struct {
	Type              string `json:"type"`
	Title             string `json:"title"`
	Detail            string `json:"detail"`
	InvalidParameters []struct {
		Field  string `json:"field"`
		Reason string `json:"reason"`
	} `json:"invalid_parameters"`
}

// meshNotFound is the title by which the contract tells a missing mesh from a
// missing resource.
const meshNotFound = "Failed to retrieve Mesh"

// signingKeyNotFound is the title that says that no token can be signed.
const signingKeyNotFound = "Signing Key not found"

// failure returns what the answer means as an error, nil for a success.
func (r reply) failure() error {
	if r.status == http.StatusOK || r.status == http.StatusCreated {
		return nil
	}
	var e stdError
	isStdError := json.Unmarshal(r.body, &e) == nil && e.Type == "/std-errors"
	mask := r.attempts.secrets.mask
	if !isStdError {
		e = stdError{Title: http.StatusText(r.status), Detail: excerpt(mask(string(r.body)))}
	}
	title, detail := mask(e.Title), mask(strings.TrimSpace(e.Detail))
	switch {
	case r.status == http.StatusUnauthorized:
		return &UnauthorizedError{r.call}
	case r.status == http.StatusForbidden:
		return &ForbiddenError{r.call, detail}
	case r.status == http.StatusNotFound && e.Title == signingKeyNotFound:
		return &SigningKeyError{r.call, detail}
	case r.status == http.StatusNotFound && isStdError:
		return &NotFoundError{Call: r.call, Mesh: e.Title == meshNotFound}
	case r.status == http.StatusNotFound:
		return &UnknownKindError{r.call}
	case r.status == http.StatusMethodNotAllowed:
		return &NotAllowedError{r.call, detail}
	case r.status == http.StatusPreconditionFailed:
		return &ExistsError{r.call}
	case r.status == http.StatusConflict:
		return &ConflictError{r.call, detail}
	case r.status == http.StatusBadRequest && isStdError:
		return &InvalidError{Call: r.call, Title: title, Detail: detail, Violations: e.violations(mask)}
	case r.status == http.StatusTooManyRequests, r.status >= http.StatusInternalServerError:
		return &ServerError{Call: r.call, Status: r.status, Attempts: r.attempts.last, Wait: r.wait, Title: title, Detail: detail}
	default:
		return r.unexpected("the answer is %q", detail)
	}
}

func (e stdError) violations(mask func(string) string) []Violation {
	out := make([]Violation, len(e.InvalidParameters))
	for i, p := range e.InvalidParameters {
		out[i] = Violation{Field: mask(p.Field), Reason: mask(p.Reason)}
		if p.Field == "" {
			out[i].Field = mask(fieldOf(p.Reason))
		}
	}
	return out
}

// fieldOf reads the path at the beginning of a reason that comes without a
// field, as in ".spec in body is required" and "labels.a in body must be …";
// empty when there is none.
func fieldOf(reason string) string {
	path, _, ok := strings.Cut(reason, " in body")
	path = strings.TrimPrefix(path, ".")
	if !ok || path == "" || strings.ContainsAny(path, " \"") {
		return ""
	}
	if key, ok := strings.CutPrefix(path, "labels."); ok { // a key may have dots itself
		return tree.Path{"labels", key}.String()
	}
	return path
}

// excerpt is the beginning of an answer that is not ours, on one line. A page
// is of no use in a message.
func excerpt(body string) string {
	const longest = 200
	text := strings.Join(strings.Fields(strings.ToValidUTF8(body, "?")), " ")
	switch {
	case text == "":
		return "an empty answer"
	case strings.HasPrefix(text, "<"):
		return "an HTML page"
	case len(text) > longest:
		return strings.ToValidUTF8(text[:longest], "") + "…"
	default:
		return text
	}
}

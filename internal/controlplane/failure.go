package controlplane

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

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

// meshNotFound is the title that distinguishes a missing mesh from a
// missing resource.
const meshNotFound = "Failed to retrieve Mesh"

// signingKeyNotFound is the title of a token request without a signing key.
const signingKeyNotFound = "Signing Key not found"

// errHTTPSPort reports that a request was sent by HTTP to a port for HTTPS.
var errHTTPSPort = errors.New("the server expects HTTPS")

// fromHTTPSPort reports whether a response is the one that servers written in
// Go give to HTTP at a port for HTTPS.
func (r reply) fromHTTPSPort() bool {
	return r.status == http.StatusBadRequest && strings.HasPrefix(string(r.body), "Client sent an HTTP request to an HTTPS server")
}

// failure returns the error that the response represents, nil for a success.
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
		return &UnauthorizedError{r.call, expiry(r.token)}
	case r.status == http.StatusForbidden:
		return &ForbiddenError{Call: r.call, Anonymous: r.token == "", Detail: detail}
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
		return r.unexpected("%s", detail)
	}
}

// expiry returns when a token expired; zero when it did not, or is not a JWT.
func expiry(token string) time.Time {
	claims, ok := readClaims(token)
	if at := time.Unix(claims.Expires, 0); ok && claims.Expires != 0 && at.Before(time.Now()) {
		return at
	}
	return time.Time{}
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

// fieldOf reads the path at the beginning of a reason that has no
// field of its own, as in ".spec in body is required" and "labels.a in body must be …";
// empty when there is none.
func fieldOf(reason string) string {
	path, _, ok := strings.Cut(reason, " in body")
	path = strings.TrimPrefix(path, ".")
	if !ok || path == "" || strings.ContainsAny(path, " \"") {
		return ""
	}
	if key, ok := strings.CutPrefix(path, "labels."); ok { // a key may contain dots
		return tree.Path{"labels", key}.String()
	}
	return path
}

// excerpt returns the beginning of a response that is not from the API, on one
// line. A web page is too long for a message.
func excerpt(body string) string {
	const longest = 200
	text := strings.Join(strings.Fields(strings.ToValidUTF8(body, "?")), " ")
	switch {
	case text == "":
		return "an empty response"
	case strings.HasPrefix(text, "<"):
		return "an HTML page"
	case len(text) > longest:
		return strings.ToValidUTF8(text[:longest], "") + "…"
	default:
		return text
	}
}

package controlplane

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// TokenRequest describes a token to issue (rest-api.md §16).
type TokenRequest interface{ path() string }

// DataplaneToken describes the token that authenticates a proxy. Only
// Mesh is required; an empty field does not restrict the token.
type DataplaneToken struct {
	Mesh     string              `json:"mesh"`
	Name     string              `json:"name,omitempty"` // of the Dataplane
	Tags     map[string][]string `json:"tags,omitempty"` // allowed values of each tag
	Type     string              `json:"type,omitempty"` // "dataplane", "ingress" or "egress"
	Workload string              `json:"workload,omitempty"`
	ValidFor string              `json:"validFor,omitempty"` // Go duration; ten years when empty
}

// ZoneToken describes the token that authenticates a zone control plane or a
// proxy of a zone.
type ZoneToken struct {
	Zone     string   `json:"zone"`
	Scope    []string `json:"scope,omitzero"`     // "cp", "ingress", "egress"; none since Kuma 3.0
	ValidFor string   `json:"validFor,omitempty"` // Go duration; ten years when empty
}

// UserToken describes the token of a user of the API.
type UserToken struct {
	Name     string   `json:"name"`
	Groups   []string `json:"groups,omitempty"`
	ValidFor string   `json:"validFor"` // Go duration, required
}

func (DataplaneToken) path() string { return "dataplane" }
func (ZoneToken) path() string      { return "zone" }
func (UserToken) path() string      { return "user" }

// IssueToken returns a new token, a JWT. The server does not store it, so
// the request is retried like a read. Only administrators may issue tokens, see
// [ForbiddenError]; without a mesh or a key to sign with there is a
// [SigningKeyError].
func (c *Client) IssueToken(ctx context.Context, request TokenRequest) (string, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return "", err
	}
	got, err := c.do(ctx, http.MethodPost, body, nil, "tokens", request.path())
	if err != nil {
		return "", err
	}
	token := string(got.body)
	if strings.Count(token, ".") != 2 || strings.ContainsAny(token, " \n\t<{\"") {
		return "", got.unexpected("the response is not a token")
	}
	return token, nil
}

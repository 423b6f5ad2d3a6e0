package controlplane

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
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

// Types of tokens. Each has signing keys and a list of revoked tokens of its own, those
// of proxies for each mesh (rest-api.md §16.1).
const (
	TokenOfDataplane = "dataplane"
	TokenOfZone      = "zone"
	TokenOfUser      = "user"
)

// TokenClaims are what a token says about itself.
type TokenClaims struct {
	ID      string
	Expires time.Time
}

// ReadToken returns the claims of a token, without verifying it. The error does not
// contain the token.
func ReadToken(token string) (TokenClaims, error) {
	claims, ok := readClaims(token)
	if !ok || claims.ID == "" {
		return TokenClaims{},
			errors.New("the token does not consist of three parts that are separated by dots, the second of which contains the claims")
	}
	return TokenClaims{claims.ID, time.Unix(claims.Expires, 0).UTC()}, nil
}

// claims are the claims of a JWT that this package reads.
type claims struct {
	ID      string `json:"jti"`
	Expires int64  `json:"exp"` // in seconds; zero for none
}

// readClaims returns the claims of a token; false if it is not a JWT.
func readClaims(token string) (c claims, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	ok = err == nil && json.Unmarshal(payload, &c) == nil
	return c, ok
}

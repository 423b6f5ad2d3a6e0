package embedded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// tokenOperations returns the operations that issue tokens, by path (rest-api.md §16).
func (s *Server) tokenOperations() map[string]operation {
	return map[string]operation{
		"tokens/dataplane": {"Could not issue a token", s.dataplaneToken},
		"tokens/zone":      {"Could not issue a token", s.zoneToken},
		"tokens/user":      {"Could not issue a token", s.userToken},
	}
}

// dataplaneClaims are the claims of the token of a proxy; no field is omitted.
type dataplaneClaims struct {
	Name     string
	Mesh     string
	Tags     map[string][]string
	Type     string
	Workload string
	lifetime
}

func (s *Server) dataplaneToken(r *http.Request) (int, any, error) {
	var sent struct {
		Mesh, Name, Type, Workload, ValidFor string
		Tags                                 map[string][]string
	}
	if err := readTokenRequest(r, &sent); err != nil {
		return 0, nil, err
	}
	var wrong []violation
	if sent.Mesh == "" {
		wrong = append(wrong, violation{"mesh", "mesh is required"})
	}
	if !slices.Contains([]string{"", "dataplane", "ingress", "egress"}, sent.Type) {
		wrong = append(wrong, violation{"type", fmt.Sprintf("%q is not a valid type of a proxy: use dataplane, ingress or egress, or omit it", sent.Type)})
	}
	valid, bad := validity(sent.ValidFor)
	if wrong = append(wrong, bad...); wrong != nil {
		return 0, nil, invalid("Invalid request", wrong...)
	}
	if sent.Tags == nil {
		sent.Tags = map[string][]string{}
	}
	in, err := s.loadMesh(sent.Mesh)
	if errors.Is(err, errMeshNotFound) {
		return 0, nil, &failure{Status: http.StatusNotFound, Title: "Signing Key not found", Detail: fmt.Sprintf("mesh %q does not exist, so it has no signing key", sent.Mesh)}
	}
	if err != nil {
		return 0, nil, err
	}
	keys := signingKeys{s, kinds.Secret, in, "dataplane-token-signing-key-" + in.Name}
	return keys.issue(dataplaneClaims{sent.Name, sent.Mesh, sent.Tags, sent.Type, sent.Workload, s.lifetime(valid)})
}

type zoneClaims struct {
	Zone  string
	Scope []string
	lifetime
}

func (s *Server) zoneToken(r *http.Request) (int, any, error) {
	var sent struct {
		Zone, ValidFor string
		Scope          []string
	}
	if err := readTokenRequest(r, &sent); err != nil {
		return 0, nil, err
	}
	valid, wrong := validity(sent.ValidFor)
	if sent.Scope == nil {
		wrong = append(wrong, violation{"scope", "scope is required"})
	}
	if wrong != nil {
		return 0, nil, invalid("Invalid request", wrong...)
	}
	keys := signingKeys{s, kinds.GlobalSecret, kuma.Resource{}, "zone-token-signing-key"}
	return keys.issue(zoneClaims{sent.Zone, sent.Scope, s.lifetime(valid)})
}

type userClaims struct {
	Name   string
	Groups []string
	lifetime
}

func (s *Server) userToken(r *http.Request) (int, any, error) {
	var sent struct {
		Name, ValidFor string
		Groups         []string
	}
	if err := readTokenRequest(r, &sent); err != nil {
		return 0, nil, err
	}
	var wrong []violation
	if sent.Name == "" {
		wrong = append(wrong, violation{"name", "name is required"})
	}
	valid, bad := validity(sent.ValidFor)
	if valid == 0 || sent.ValidFor == "" {
		bad = append(bad, violation{"validFor", "validFor is required and must not be zero"})
	}
	if wrong = append(wrong, bad...); wrong != nil {
		return 0, nil, invalid("Invalid request", wrong...)
	}
	keys := signingKeys{s, kinds.GlobalSecret, kuma.Resource{}, "user-token-signing-key"}
	return keys.issue(userClaims{sent.Name, sent.Groups, s.lifetime(valid)})
}

// errUnreadable is a request for a token that is not valid JSON: the response has no body.
var errUnreadable = errors.New("unreadable request")

func readTokenRequest(r *http.Request, into any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if json.Unmarshal(data, into) != nil {
		return errUnreadable
	}
	return nil
}

// validity returns the validity period of a token: ten years when text is
// empty. A negative period is allowed; such a token has already expired.
func validity(text string) (time.Duration, []violation) {
	const usual = "87600h"
	d, err := time.ParseDuration(cmp.Or(text, usual))
	if err != nil {
		return 0, []violation{{"validFor", fmt.Sprintf("%q is not a valid duration: use a number with a unit, such as 720h", text)}}
	}
	return d, nil
}

// lifetime contains the claims that all tokens share, in seconds since 1970.
type lifetime struct {
	Expires   int64  `json:"exp"`
	NotBefore int64  `json:"nbf"`
	Issued    int64  `json:"iat"`
	ID        string `json:"jti"`
}

// lifetime begins slightly before now, for proxies whose clock is behind.
func (s *Server) lifetime(valid time.Duration) lifetime {
	const early = 5 * time.Second
	now := s.clock()
	issued := now.Add(-early).Unix()
	return lifetime{Expires: now.Add(valid).Unix(), NotBefore: issued, Issued: issued, ID: newID()}
}

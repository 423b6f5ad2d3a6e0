package embedded

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
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
	types := []string{"dataplane"}
	if !s.controlPlane.Release.Kuma3() {
		types = append(types, "ingress", "egress")
	}
	if sent.Type != "" && !slices.Contains(types, sent.Type) {
		wrong = append(wrong,
			violation{"type", fmt.Sprintf("%q is not a valid type of a proxy: use %s, or omit it", sent.Type, phrase.Or(types...))})
	}
	valid, bad := validity(sent.ValidFor)
	if wrong = append(wrong, bad...); wrong != nil {
		return 0, nil, invalid("Invalid request", wrong...)
	}
	if sent.Tags == nil {
		sent.Tags = map[string][]string{}
	}
	_, err := s.loadMesh(sent.Mesh)
	if errors.Is(err, errMeshNotFound) {
		return 0, nil, &failure{
			Status: http.StatusNotFound, Title: "Signing Key not found",
			Detail: fmt.Sprintf("mesh %q does not exist, so it has no signing key", sent.Mesh),
		}
	}
	if err != nil {
		return 0, nil, err
	}
	return issue(dataplaneClaims{sent.Name, sent.Mesh, sent.Tags, sent.Type, sent.Workload, s.lifetime(valid)})
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
	if sent.Scope == nil && !s.controlPlane.Release.Kuma3() {
		wrong = append(wrong, violation{"scope", "scope is required"})
	}
	if wrong != nil {
		return 0, nil, invalid("Invalid request", wrong...)
	}
	return issue(zoneClaims{sent.Zone, sent.Scope, s.lifetime(valid)})
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
	return issue(userClaims{sent.Name, sent.Groups, s.lifetime(valid)})
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

// issue returns the response to a request for a token with the given claims: a JSON Web
// Token (RFC 7519) without a signature, because nothing but tests uses it.
func issue(claims any) (int, any, error) {
	header, err := json.Marshal(object{{"alg", "none"}, {"kid", "1"}, {"typ", "JWT"}})
	if err != nil {
		return 0, nil, err
	}
	payload, err := json.Marshal(claims)
	encode := base64.RawURLEncoding.EncodeToString
	return http.StatusOK, plain(encode(header) + "." + encode(payload) + "."), err
}

// newID returns a random UUID (RFC 9562 §5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// exchange is a recorded request with its answer.
type exchange struct {
	Name     string   `json:"name"`
	Given    string   `json:"given,omitempty"`
	Request  request  `json:"request"`
	Response response `json:"response"`
	Decoded  *token   `json:"decoded,omitempty"`
}

type request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"` // a string contains the bytes
}

type response struct {
	Status int `json:"status"`
	Body   any `json:"body"`
}

// token is a JSON web token without its signature.
type token struct {
	Header   any   `json:"header"`
	Claims   any   `json:"claims"`
	Lifetime int64 `json:"exp minus iat"`
}

// recordExchanges repeats the requests of internal/embedded/testdata/rest, each file on
// a control plane without resources of the files before.
func recordExchanges(ctx context.Context, s *oracle.Site, dir string) error {
	files, err := glob(dir, "*.json")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := recordFile(ctx, s, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func recordFile(ctx context.Context, s *oracle.Site, file string) error {
	exchanges, err := readRows[exchange](file)
	if err != nil {
		return err
	}
	var stored []string
	for i := range exchanges {
		e := &exchanges[i]
		if err := e.arrange(ctx, s); err != nil {
			return err
		}
		got, err := e.Request.repeat(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if e.Request.Method == http.MethodPut && got.Accepted() {
			stored = append(stored, e.Request.Path)
		}
		e.answer(got)
	}
	for _, path := range slices.Backward(stored) {
		if err := remove(ctx, s, path); err != nil {
			return err
		}
	}
	return rewriteRows(file, exchanges)
}

// arrange establishes the precondition of a request: the resource is absent, or present
// because the request was sent before.
func (e *exchange) arrange(ctx context.Context, s *oracle.Site) error {
	switch e.Given {
	case "":
		return nil
	case "absent":
		return remove(ctx, s, e.Request.Path)
	case "present":
		_, err := e.Request.repeat(ctx, s)
		return err
	default:
		return fmt.Errorf("%q cannot be given", e.Given)
	}
}

// repeat sends a recorded request.
func (r request) repeat(ctx context.Context, s *oracle.Site) (oracle.Answer, error) {
	body := string(r.Body)
	switch {
	case body == "null":
		body = ""
	case strings.HasPrefix(body, `"`):
		if err := json.Unmarshal(r.Body, &body); err != nil {
			return oracle.Answer{}, err
		}
	}
	return s.Send(ctx, r.Method, r.Path, r.Headers, body)
}

// answer replaces the recorded answer.
func (e *exchange) answer(got oracle.Answer) {
	e.Response = response{got.Status, keep("", e.Response.Body, redact("", got.Body))}
	recorded := e.Decoded
	if e.Decoded = decodeToken(got.Body); e.Decoded != nil && recorded != nil {
		e.Decoded.Claims = keep("", recorded.Claims, e.Decoded.Claims)
	}
}

// decodeToken decodes a JSON web token; nil if the body is none.
func decodeToken(body any) *token {
	text, _ := body.(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil
	}
	var decoded [2]any
	for i := range decoded {
		data, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return nil
		}
		if decoded[i], err = tree.DecodeJSON(data); err != nil {
			return nil
		}
	}
	claims := tree.Root(decoded[1])
	expires, _ := claims.Get("exp").Int()
	issued, _ := claims.Get("iat").Int()
	return &token{decoded[0], decoded[1], expires - issued}
}

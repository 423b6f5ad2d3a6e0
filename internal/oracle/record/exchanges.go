package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// recordExchanges repeats the requests of internal/embedded/testdata/rest, each file on
// a control plane without resources of the files before.
func recordExchanges(ctx context.Context, s *server, dir string) error {
	files, err := glob(dir, "*.json")
	if err != nil {
		return err
	}
	for _, file := range files {
		exchanges, err := readList(file)
		if err != nil {
			return err
		}
		if err := recordFile(ctx, s, file, exchanges); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func recordFile(ctx context.Context, s *server, file string, exchanges []object) error {
	var stored []string
	for i, e := range exchanges {
		request := e.object("request")
		if err := arrange(ctx, s, e.text("given"), request); err != nil {
			return err
		}
		got, err := repeat(ctx, s, request)
		if err != nil {
			return fmt.Errorf("%s: %w", e.text("name"), err)
		}
		if request.text("method") == http.MethodPut && got.accepted() {
			stored = append(stored, request.text("path"))
		}
		exchanges[i] = exchange(e, got)
	}
	for _, path := range slices.Backward(stored) {
		if err := s.delete(ctx, path); err != nil {
			return err
		}
	}
	return rewrite(file, values(exchanges), rowPerLine)
}

// arrange establishes the precondition of a request: the resource is absent, or present
// because the request was sent before.
func arrange(ctx context.Context, s *server, given string, request object) error {
	switch given {
	case "":
		return nil
	case "absent":
		return s.delete(ctx, request.text("path"))
	case "present":
		_, err := repeat(ctx, s, request)
		return err
	default:
		return fmt.Errorf("%q cannot be given", given)
	}
}

// repeat sends a recorded request.
func repeat(ctx context.Context, s *server, request object) (answer, error) {
	headers := map[string]string{}
	for _, h := range request.object("headers") {
		headers[h.name], _ = h.value.(string)
	}
	body := ""
	switch recorded := request.get("body").(type) {
	case nil:
	case string:
		body = recorded
	default:
		body = oneLine(recorded)
	}
	return s.send(ctx, request.text("method"), request.text("path"), headers, body)
}

// exchange returns a record with its answer replaced.
func exchange(e object, got answer) object {
	e = e.set("response", object{{"status", number(got.status)}, {"body", redact("", got.body)}}).without("decoded")
	if token, ok := decodeToken(got.body); ok {
		e = e.set("decoded", token)
	}
	return e
}

// decodeToken decodes a JSON web token without its signature.
func decodeToken(body any) (decoded object, ok bool) {
	text, _ := body.(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil, false
	}
	for i, name := range []string{"header", "claims"} {
		data, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return nil, false
		}
		part, err := decodeJSON(data)
		if err != nil {
			return nil, false
		}
		decoded = append(decoded, field{name, part})
	}
	claims := decoded.object("claims")
	expires, _ := claims.get("exp").(json.Number)
	issued, _ := claims.get("iat").(json.Number)
	end, _ := expires.Int64()
	start, _ := issued.Int64()
	return append(decoded, field{"exp minus iat", number(int(end - start))}), true
}

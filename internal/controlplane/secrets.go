package controlplane

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// secrets are strings that no error, warning or log may show. A server, or a proxy
// in front of it, may quote anything it was sent in its response.
type secrets []string

// secrets returns the secrets of the configuration itself.
func (c Config) secrets() secrets {
	out := secrets{c.Token, c.TLS.ClientKey}
	for _, value := range c.Headers {
		out = append(out, value)
		_, credentials, _ := strings.Cut(value, " ") // after "Basic", for example
		out = append(out, credentials)
		if decoded, err := base64.StdEncoding.DecodeString(credentials); err == nil {
			_, password, _ := strings.Cut(string(decoded), ":")
			out = append(out, string(decoded), password)
		}
	}
	return out
}

type secretsKey struct{}

// withSecrets returns a context for a request that sends further secrets.
func withSecrets(ctx context.Context, more secrets) context.Context {
	return context.WithValue(ctx, secretsKey{}, more)
}

// inContext returns s with the secrets that [withSecrets] named.
func (s secrets) inContext(ctx context.Context) secrets {
	more, _ := ctx.Value(secretsKey{}).(secrets)
	return slices.Concat(s, more)
}

// mask replaces all secrets in a quoted text.
func (s secrets) mask(text string) string {
	forms := map[string]bool{}
	for _, secret := range s {
		addForms(forms, secret)
	}
	// At each position the first match wins.
	longestFirst := slices.SortedFunc(maps.Keys(forms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, form := range longestFirst {
		pairs = append(pairs, form, "***")
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (s secrets) maskAll(texts []string) []string {
	for i, text := range texts {
		texts[i] = s.mask(text)
	}
	return texts
}

// maskError returns err with a masked text if that contains a secret.
func (s secrets) maskError(err error) error {
	if err == nil {
		return nil
	}
	if text := s.mask(err.Error()); text != err.Error() {
		return &maskedError{text, err}
	}
	return err
}

type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

func (e *maskedError) Unwrap() error { return e.err }

// addForms adds the forms in which a secret may be quoted: unchanged, line by
// line, and escaped. A string of a few characters is skipped, because it
// would match in the middle of words.
func addForms(forms map[string]bool, secret string) {
	const shortest = 4
	secret = strings.TrimSpace(secret)
	for _, part := range append(strings.Split(secret, "\n"), secret) {
		part = strings.TrimSpace(part)
		if len(part) < shortest || strings.HasPrefix(part, "-----") && !strings.Contains(part, "\n") { // a header or footer line of PEM
			continue
		}
		inJSON, _ := json.Marshal(part) // never fails for a string
		for _, form := range []string{
			part, unquoted(string(inJSON)), unquoted(strconv.Quote(part)), html.EscapeString(part),
			url.QueryEscape(part), url.PathEscape(part),
		} {
			forms[form] = true
		}
	}
}

func unquoted(text string) string { return text[1 : len(text)-1] }

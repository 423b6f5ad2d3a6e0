package kinds

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

var spiffeID = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, ok := n.Text()
	if !ok || validSPIFFEID(s) {
		return nil
	}
	return []spec.Problem{n.Problem("Invalid SPIFFE ID", fmt.Sprintf("%q is no SPIFFE ID: write spiffe://<trust domain>/<path> without empty segments and without a slash at the end.", s))}
}}

func validSPIFFEID(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "spiffe" || u.Host == "" || u.Port() != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	if u.Path == "" {
		return true
	}
	for segment := range strings.SplitSeq(u.Path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

var serverName = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, ok := n.Text()
	if !ok || spec.IsDNSSubdomain(s) {
		return nil
	}
	return []spec.Problem{n.Problem("Invalid server name", fmt.Sprintf("%q is no server name: use lower case letters, digits, \"-\" and \".\"; wildcards are not possible.", s))}
}}

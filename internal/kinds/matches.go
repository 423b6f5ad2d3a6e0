package kinds

import (
	"fmt"

	"github.com/spiffe/go-spiffe/v2/spiffeid"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// spiffeID checks the identity of a client with the library that control planes
// read it with. The beginning of one is an identity of its own.
var spiffeID = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok {
		return nil
	}
	if _, err := spiffeid.FromString(s); err != nil {
		return []def.Problem{def.ErrorAt(n, "Invalid SPIFFE ID", fmt.Sprintf("%q is not a valid SPIFFE ID: %s. Write \"spiffe://\", the trust domain and a path such as \"/ns/shop\", without a slash at the end.", s, err))}
	}
	return nil
}}

var serverName = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || kuma.IsDNSSubdomain(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid server name", fmt.Sprintf("%q is no server name: use lower case letters, digits, \"-\" and \".\"; wildcards are not possible.", s))}
}}

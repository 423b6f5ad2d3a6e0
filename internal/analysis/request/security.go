package request

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
)

// certificate names where the certificate of a proxy comes from, empty without one.
func certificate(c proxy.Client) string {
	switch {
	case len(c.Names) == 0:
		return ""
	case c.Identity.Name != "":
		return c.Identity.Local()
	case c.Identity != kuma.Key{}:
		return "a MeshIdentity" // of which only the SPIFFE ID is known
	default:
		return "the mutual TLS of the mesh"
	}
}

// notIssued continues a sentence about a proxy without a certificate with why its MeshIdentity issues none.
func notIssued(c proxy.Client) string {
	if c.NotIssued == "" {
		return ""
	}
	return ". " + c.NotIssued
}

// security returns how the connection to a Dataplane is protected, and why. Both are
// empty if there is no connection; the verdict then says why.
func (s *sending) security(dataplane string, d proxy.Decision) (Security, string) {
	receiver := s.proxies.Client(dataplane)
	client, server := certificate(s.client), certificate(receiver)
	switch {
	case d.Verdict == proxy.Plaintext:
		why := "the client has no certificate"
		switch {
		case client != "" && s.isKuma3():
			why = "the client uses TLS only for services all of whose proxies have a certificate of a trust domain with a MeshTrust"
		case client != "":
			why = "the client sends plaintext through an outbound by tags" // in a mesh in mode Exclusive
		}
		return Permissive, fmt.Sprintf("%s, and Dataplane %q also accepts plaintext%s", why, dataplane, notIssued(s.client))
	case d.Verdict == proxy.Unchecked && client == "":
		return Plaintext, "neither proxy has a certificate" + notIssued(receiver)
	case d.Verdict == proxy.Unchecked:
		return Plaintext, fmt.Sprintf(
			"Dataplane %q has no certificate, and the client uses TLS only for services all of whose proxies have one%s",
			dataplane, notIssued(receiver))
	case d.Verdict != proxy.Allowed && d.Verdict != proxy.Denied:
		return "", ""
	case client == server:
		return MutualTLS, "both proxies have a certificate of " + client
	default:
		return MutualTLS, fmt.Sprintf("the client has a certificate of %s, and Dataplane %q one of %s", client, dataplane, server)
	}
}

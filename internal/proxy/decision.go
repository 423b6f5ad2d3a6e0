package proxy

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Verdict is whether a client can connect, and why.
type Verdict string

// Verdicts of clients that can connect.
const (
	Allowed   Verdict = "allowed"   // by a permission
	Unchecked Verdict = "unchecked" // the server has no certificate, so that it checks no client
	Plaintext Verdict = "plaintext" // the server also accepts plaintext, which it does not check
)

// Verdicts of clients that cannot connect.
const (
	Denied          Verdict = "denied"           // by a permission, or because none allows the client
	NoCertificate   Verdict = "no certificate"   // the client has none, and the server requires one
	TLSMismatch     Verdict = "TLS mismatch"     // only one side speaks TLS, or the client rejects the certificate
	NoConfiguration Verdict = "no configuration" // one of the proxies gets none
)

// Undecided is the verdict where it is not known whether the client can connect.
const Undecided Verdict = "undecided"

// errMisnamed is why a client rejects a certificate.
var errMisnamed = errors.New(
	"through a MeshMultiZoneService, a client with a MeshIdentity rejects the certificates of the mutual TLS of the mesh")

// errByTags is why a client rejects a certificate.
var errByTags = errors.New("through an outbound by tags, a client with a MeshIdentity rejects all certificates")

// errUntrusted is why proxies reject a certificate.
var errUntrusted = errors.New(
	"proxies reject the certificates of a MeshIdentity whose authority no MeshTrust has, or which must not sign certificates")

// errForeign is why proxies of another zone reject a certificate.
var errForeign = errors.New("the control plane of each zone generates its own authority for a MeshIdentity, and no MeshTrust in the " +
	"other zone has it, so proxies reject the certificate")

// errPlaintext is why a client cannot connect to a proxy of another zone.
var errPlaintext = errors.New("requests get to another zone only with TLS, and the client has no certificate")

// errEgress is why a client cannot connect to a zone egress.
var errEgress = errors.New("the zone egress does not listen, because it has no certificate of a MeshIdentity")

// errAmbiguous is why it is not known what a proxy does with requests: it has one listener with one of the protocols (measured on
// 2.14.3).
var errAmbiguous = errors.New("several inbounds of the Dataplane have this address and port, with different protocols")

// Connects reports whether the client can connect.
func (v Verdict) Connects() bool { return v == Allowed || v == Unchecked || v == Plaintext }

// Decision is the verdict on one client at one inbound.
type Decision struct {
	Verdict Verdict
	TLS     bool // the client speaks TLS
	// By is the entry that decides on a client that is allowed or denied. It is zero if
	// none matches, so that the client is denied.
	By   rules.Entry
	List string // of By: deny, allow, allowWithShadowDeny or from
	// Match is what the list says about the client: "spiffe://shop/web*". Empty for from.
	Match string
	// Shadow is the decision that the proxy logs but does not enforce; nil if there is none.
	Shadow *Decision
	// Ignored are the `from` of policies that the server ignores; nil if there are none.
	Ignored *rules.IgnoredFrom
	// Overruled is the entry of `from` that denies the client, without effect because another
	// one allows it; zero if there is none.
	Overruled rules.Entry
	Problem   error // why a proxy gets no configuration, rejects a certificate, or is undecided
}

// listFrom is the list of an entry by tags.
const listFrom = "from"

// ByDefault reports whether no entry of a policy decides.
func (d Decision) ByDefault() bool { return d.By.Policy == (kuma.Key{}) }

// String describes the decision: "denied by MeshTrafficPermission deny-web".
func (d Decision) String() string {
	switch {
	case d.Verdict != Allowed && d.Verdict != Denied:
		return string(d.Verdict)
	case d.ByDefault():
		return "denied, because no permission allows it"
	default:
		return fmt.Sprintf("%s by %s %s", d.Verdict, d.By.Policy.Type, d.By.Policy.Name)
	}
}

// Reason explains the decision, as a clause about the client.
func (d Decision) Reason() string {
	because := ""
	if d.Problem != nil {
		because = ": " + d.Problem.Error()
	}
	switch d.Verdict {
	case Allowed, Denied:
		return d.permissionReason()
	case Unchecked:
		return "the service has no certificate, so it accepts every client" + because
	case Plaintext:
		return "the service also accepts plaintext, without checking permissions"
	case NoCertificate:
		return "the client has no certificate, and the service requires one" + because
	case TLSMismatch:
		if d.Problem != nil {
			return d.Problem.Error()
		}
		return "only one of client and service speaks TLS, because a MeshIdentity selects only some of the proxies"
	default:
		return fmt.Sprint(d.Problem)
	}
}

func (d Decision) permissionReason() string {
	var text string
	switch {
	case d.ByDefault():
		text = "no permission allows it"
	case d.Match != "":
		verb := map[string]string{"deny": "denies", "allow": "allows"}[d.List]
		text = fmt.Sprintf("%s %s %s %s", d.By.Policy.Type, d.By.Policy.Name, cmp.Or(verb, "allows with a shadow denial"), d.Match)
	default:
		text = fmt.Sprintf("%s %s %s it in %s", d.By.Policy.Type, d.By.Policy.Name,
			map[Verdict]string{Allowed: "allows", Denied: "denies"}[d.Verdict], d.List)
	}
	if d.Overruled.Policy != (kuma.Key{}) {
		text += fmt.Sprintf(", although %s denies it", d.Overruled.Policy.Name)
	}
	if d.Ignored != nil {
		text += "; the service " + d.Ignored.Clause()
	}
	return text
}

// withoutCertificate returns why the proxy whose missing certificate decides has none, as far as a MeshIdentity selects it.
func (s Server) withoutCertificate(c Client, d Decision) string {
	switch {
	case d.Problem != nil:
		return ""
	case d.Verdict == Unchecked, d.Verdict == TLSMismatch && !s.secure:
		return s.notIssued
	case d.Verdict == NoCertificate, d.Verdict == TLSMismatch:
		return c.NotIssued
	default:
		return ""
	}
}

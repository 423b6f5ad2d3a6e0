package lint

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var matchesNoClient = Code{
	Code: "matches-no-client", Severity: Warning, Title: "SPIFFE ID or server name that no client can have",
	Fix: "Use that of a workload or service of the mesh",
	Doc: "No Dataplane has this SPIFFE ID, neither from a MeshIdentity nor in the certificates of the mesh (`spiffe://<mesh>/<service>`), " +
		"or no port has this server name. Trust domains of a MeshTrust, meshes with other zones, and what cannot be computed are not checked.",
}

var exactNeverMatches = Code{
	Code: "exact-never-matches", Severity: Error, Title: "Exact SPIFFE ID that matches no certificate",
	Fix: "Match by `Prefix`, or create a MeshIdentity for the clients",
	Doc: "`rules` match an exact SPIFFE ID, but the certificates come from `mtls` of the Mesh. " +
		"They contain several names, which a proxy compares as one string, so `Exact` never matches: " +
		"an allowed client is denied, and a denied one may be allowed. Certificates of a MeshIdentity contain one name. Measured on 2.14.3.",
}

var noSPIFFEID = Code{
	Code: "no-spiffe-id", Severity: Error, Title: "Dataplane without a SPIFFE ID",
	Fix: "Add the labels that the path of the MeshIdentity requires",
	Doc: "A MeshIdentity selects Dataplanes without a label that its `path` requires; without `path`, this is `kuma.io/workload`. " +
		"Or the certificates come from `mtls` of the Mesh, and a Dataplane has neither the tag `kuma.io/service` nor the label " +
		"`kuma.io/workload`. When the proxy of such a Dataplane connects, it gets no configuration. Measured on 2.14.3.",
}

var prefixTooWide = Code{
	Code: "prefix-too-wide", Severity: Warning, Title: "Prefix of a SPIFFE ID that also matches a longer name",
	Fix: "Use `Exact`, once for each client",
	Doc: "A prefix that is the SPIFFE ID of one client also matches another: " +
		"prefixes are compared as strings, so `spiffe://shop/web` also matches `spiffe://shop/website`. " +
		"SPIFFE IDs that continue with a slash are not reported.",
}

func findPrefixTooWide(m *mesh, report func(Finding)) {
	ids := m.clientIDs()
	for _, c := range m.clientMatches() {
		others := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			rest, ok := strings.CutPrefix(id, c.id)
			return !ok || rest == "" || strings.HasPrefix(rest, "/")
		})
		if c.exact || len(others) == 0 || !slices.Contains(ids, c.id) {
			continue
		}
		report(prefixTooWide.at(c.policy, c.path,
			fmt.Sprintf("The prefix %q is the SPIFFE ID of a client, but also matches %s.", c.id, some(others)),
			"Set the type to Exact if the certificates come from a MeshIdentity, or give the clients names of which none begins with another one."))
	}
}

func findNoSPIFFEID(m *mesh, report func(Finding)) {
	type cause struct {
		identity           kuma.Key
		reason, suggestion string
	}
	affected := map[cause][]string{}
	for _, dataplane := range m.ofKind(kuma.KindDataplane) {
		identity := m.Resource(m.Identity(m.name, dataplane.Name))
		if identity == nil {
			if broken := m.proxies().Client(dataplane.Name).Broken; errors.Is(broken, proxy.ErrNoService) {
				c := cause{kuma.MeshKey(m.name), broken.Error(), "Add the label " + kuma.LabelWorkload + " to the Dataplanes."}
				affected[c] = append(affected[c], dataplane.Name)
			}
			continue
		}
		_, err := kinds.SPIFFEID(*identity, *dataplane)
		invalid, ok := errors.AsType[*kinds.PathError](err)
		if !ok {
			continue
		}
		c := cause{
			identity.Key(), fmt.Sprintf("their SPIFFE ID is not valid: %s", invalid),
			"Correct the path of the identity, or the labels that it contains.",
		}
		if invalid.Label != "" {
			c.reason = fmt.Sprintf("the path of the identity requires the label %q, which their Dataplanes do not have", invalid.Label)
			c.suggestion = "Add the label to the Dataplanes, or select only Dataplanes that have it."
		}
		affected[c] = append(affected[c], dataplane.Name)
	}
	for c, names := range affected {
		message := fmt.Sprintf("The proxies of %s get no configuration, because %s.", some(names), c.reason)
		path := tree.Path{"spec", "spiffeID", "path"}
		if c.identity.Type == kuma.KindMesh {
			path = tree.Path{"mtls"}
		}
		report(noSPIFFEID.at(m.Resource(c.identity), path, message, c.suggestion).on(len(names)))
	}
}

// clientMatch is a match of a SPIFFE ID in `rules`.
type clientMatch struct {
	policy *kuma.Resource
	path   tree.Path
	exact  bool
	id     string
}

// clientMatches returns the matches of SPIFFE IDs in all policies.
func (m *mesh) clientMatches() []clientMatch {
	var out []clientMatch
	for _, p := range m.policies {
		document := tree.Root(p.Document())
		for _, n := range slices.Concat(document.Find("spec.rules[].matches[].spiffeID"), document.Find("spec.rules[].default[][].spiffeID")) {
			if id, ok := n.Get("value").Text(); ok {
				match, _ := n.Get("type").Text()
				out = append(out, clientMatch{p, n.Path, match == "Exact", id})
			}
		}
	}
	return out
}

func findExactNeverMatches(m *mesh, report func(Finding)) {
	for _, c := range m.clientMatches() {
		if c.exact && m.ExactNeverMatches(m.name, c.id) {
			report(exactNeverMatches.at(c.policy, c.path,
				fmt.Sprintf("No client matches the exact SPIFFE ID %q, because certificates of the mesh contain several names.", c.id),
				"Set the type to Prefix, which also matches longer SPIFFE IDs, or create a MeshIdentity that selects the clients."))
		}
	}
}

// suggestID is [phrase.Suggest] for SPIFFE IDs, which have much in common although they are of
// different clients: it compares each part of them.
func suggestID(id string, ids []string) string {
	parts := strings.Split(id, "/")
	return phrase.Suggest(id, slices.DeleteFunc(slices.Clone(ids), func(other string) bool {
		others := strings.Split(other, "/")
		for i := range min(len(parts), len(others)) {
			if parts[i] != others[i] && phrase.Suggest(parts[i], others[i:i+1]) == "" {
				return true
			}
		}
		return len(parts) != len(others)
	}))
}

func findMatchesNoClient(m *mesh, report func(Finding)) {
	findNoServerName(m, report)
	ids := m.clientIDs()
	if len(ids) == 0 {
		return
	}
	own := map[string]bool{}
	for _, id := range ids {
		own[trustDomain(id)] = true
	}
	foreign := map[string]bool{}
	for _, r := range m.ofKind(kinds.MeshTrust.Name) {
		if domain, _ := tree.Root(r.Spec()).Get("trustDomain").Text(); !own[domain] {
			foreign[domain] = true
		}
	}
	for _, c := range m.clientMatches() {
		if foreign[trustDomain(c.id)] ||
			slices.ContainsFunc(ids, func(id string) bool { return id == c.id || !c.exact && strings.HasPrefix(id, c.id) }) {
			continue
		}
		report(matchesNoClient.at(c.policy, c.path,
			fmt.Sprintf("No Dataplane of the mesh has the SPIFFE ID %q.%s", c.id, suggestID(c.id, ids)),
			"Correct the SPIFFE ID, or remove it."))
	}
}

// findNoServerName finds server names in permissions that no port has (proxies.md §5). Zones are not compared, because
// documents may lack them.
func findNoServerName(m *mesh, report func(Finding)) {
	var names []string
	form := "sni.KIND.MESH.ZONE.NAME.PORT, with the name of the port if it has one"
	if !m.Release().Kuma3() {
		form = "sni.KIND.MESH.ZONE.NAME.PORT, with the number of the port"
	}
	isOf := func(name, value string) bool {
		parts := strings.SplitN(name, ".", 4) // sni, kind, mesh, and the rest without a zone
		return value == name || strings.HasPrefix(value, strings.Join(parts[:3], ".")+".") && strings.HasSuffix(value, "."+parts[3])
	}
	for _, service := range m.Services(m.name) {
		for _, port := range m.Ports(service.ID()) {
			port.Resource.Zone = ""
			if name := m.proxies().ServerName(port); name != "" {
				names = append(names, name)
			}
		}
	}
	for _, p := range m.policies {
		for _, sni := range tree.Root(p.Document()).Find("spec.rules[].default[][].sni.value") {
			value, set := sni.Text()
			hashed := !m.Release().Kuma3() && !strings.HasPrefix(value, "sni.msvc.") && !strings.HasPrefix(value, "sni.extsvc.")
			if len(names) == 0 || !set || hashed || slices.ContainsFunc(names, func(name string) bool { return isOf(name, value) }) {
				continue
			}
			report(matchesNoClient.at(p, sni.Path, fmt.Sprintf("No port of a service of the mesh has the server name %q.", value),
				"Correct the server name, or remove it. It has the form "+form+"."))
		}
	}
}

func (m *mesh) hasMutualTLS() bool { return m.meshNode().Get("mtls", "enabledBackend").Filled() }

// clientIDs returns the SPIFFE IDs of the Dataplanes in ascending order, nil if some are
// not known.
func (m *mesh) clientIDs() []string {
	var ids []string
	zones := map[string]bool{}
	for _, dataplane := range m.ofKind(kuma.KindDataplane) {
		zones[dataplane.Zone()] = true
		if key := m.Identity(m.name, dataplane.Name); key != (kuma.Key{}) {
			id, err := kinds.SPIFFEID(*m.Resource(key), *dataplane)
			if _, ok := errors.AsType[*kinds.PathError](err); ok {
				continue // it has no certificate either
			}
			if err != nil {
				return nil
			}
			ids = append(ids, id)
		}
	}
	for _, r := range m.resources {
		if len(zones) > 0 && r.Mesh == m.name && r.Zone() != "" && !zones[r.Zone()] ||
			r.Type == kinds.ZoneIngress.Name && r.Zone() != "" && !zones[r.Zone()] {
			return nil // other zones have clients that are not known here
		}
	}
	if m.hasMutualTLS() {
		for _, service := range m.ServiceTags(m.name) {
			ids = append(ids, "spiffe://"+m.name+"/"+service)
		}
	}
	return phrase.Sorted(ids)
}

// trustDomain returns the trust domain of a SPIFFE ID.
func trustDomain(id string) string {
	domain, _, _ := strings.Cut(strings.TrimPrefix(id, "spiffe://"), "/")
	return domain
}

var identityNotReady = Code{
	Code: "identity-not-ready", Severity: Error, Title: "MeshIdentity that issues no certificates",
	Fix: "Correct its authority",
	Doc: "The control plane does not accept the authority of a MeshIdentity: it is self-signed without `insecureAllowSelfSigned`, cannot " +
		"be read or, in Kuma 3.0, does not have the key usage `keyCertSign`. Its proxies get no certificate, also not from " +
		"another MeshIdentity, and without `mtls` of the Mesh, they accept every client.",
}

func findIdentityNotReady(m *mesh, report func(Finding)) {
	selected, problems := map[kuma.Key][]string{}, map[kuma.Key]string{}
	for _, dataplane := range m.ofKind(kuma.KindDataplane) {
		if of, problem := m.IdentityProblem(m.name, dataplane.Name); problem != "" {
			selected[of], problems[of] = append(selected[of], dataplane.Name), problem
		}
	}
	for of, names := range selected {
		identity := m.Resource(of)
		if tree.Root(identity.Spec()).Get("provider").Empty() {
			continue // meant: it only publishes SPIFFE IDs
		}
		message := fmt.Sprintf("The MeshIdentity issues no certificates, because %s. The proxies of %s get none.", problems[of], some(names))
		report(identityNotReady.at(identity, tree.Path{"spec", "provider"}, message, "Correct the authority of the MeshIdentity.").on(len(names)))
	}
}

var noIdentity = Code{
	Code: "no-identity", Severity: Warning, Title: "Permissions for proxies without a certificate",
	Fix: "Create a MeshIdentity that selects the proxies",
	Doc: "A MeshTrafficPermission or MeshTLS selects only proxies without a certificate: " +
		"no MeshIdentity selects them and, before Kuma 3.0, `mtls` of the Mesh is not enabled. Such a proxy accepts every client.",
}

func findNoIdentity(m *mesh, report func(Finding)) {
	if m.hasMutualTLS() && !m.Release().Kuma3() {
		return
	}
	for _, p := range m.policies {
		if p.Type != kinds.MeshTrafficPermission.Name && p.Type != kinds.MeshTLS.Name {
			continue
		}
		selected := m.Selected(p.Key())
		hasCertificate := func(dataplane string) bool { return m.Identity(m.name, dataplane) != (kuma.Key{}) }
		if !slices.ContainsFunc(selected, m.receives) || slices.ContainsFunc(selected, hasCertificate) {
			continue
		}
		report(noIdentity.at(p, nil,
			fmt.Sprintf("The policy has no effect, because none of the proxies that it selects has a certificate: %s. They accept every client.",
				some(selected)),
			"Create a MeshIdentity that selects the proxies and their clients, or remove the policy.").on(len(selected)))
	}
}

package request

import (
	"cmp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// covers reports whether routes or a listener with one host name are used for another host name. The
// control plane compares the first labels. Between its first label and the rest, the other name may
// have more labels (matching.md §18.1).
func covers(name, other string) bool {
	first, domain, _ := strings.Cut(name, ".")
	otherFirst, otherDomain, _ := strings.Cut(other, ".")
	if first != "*" && first != otherFirst {
		return false
	}
	return domain == "" && first == "*" || domain == otherDomain || strings.HasSuffix(otherDomain, "."+domain)
}

// domainRank returns how closely a proxy matches a host with a domain: the name itself, then
// longer suffixes; less than zero if it does not.
func domainRank(domain, host string) int {
	suffix, wild := strings.CutPrefix(strings.ToLower(domain), "*")
	host = strings.ToLower(host)
	switch {
	case !wild && suffix == host:
		return len(host) + 1
	case wild && strings.HasSuffix(host, suffix) && len(host) > len(suffix):
		return len(suffix)
	default:
		return -1
	}
}

// compareListeners sorts listeners by how specific their host names are: names before wildcards,
// then longer ones first.
func compareListeners(a, b rules.Listener) int {
	wild := func(l rules.Listener) int { return strings.Count(l.Hostname, "*") }
	return cmp.Or(cmp.Compare(wild(a), wild(b)), cmp.Compare(len(b.Hostname), len(a.Hostname)))
}

// compareHosts sorts host names of routes in the order in which a gateway has their rules: names,
// then wildcards, then none.
func compareHosts(a, b string) int {
	rank := func(host string) int {
		switch {
		case host == "":
			return 2
		case strings.HasPrefix(host, "*"):
			return 1
		default:
			return 0
		}
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
}

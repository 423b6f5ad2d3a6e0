package kuma

import (
	"fmt"
	"slices"
	"strings"
)

// ID is the identity of a resource in Kuma: type, mesh, zone, namespace and
// display name (matching.md §1.7). It does not include the name, which is
// hashed in a synchronized resource.
type ID struct{ Type, Mesh, Zone, Namespace, Name string }

// ID returns the identity of r.
func (r Resource) ID() ID {
	return ID{r.Type, r.Mesh, r.Zone(), r.Namespace(), r.DisplayName()}
}

// KRI is the identifier that Kuma prints for a resource or for one section
// (port) of it: kri_<short name>_<mesh>_<zone>_<namespace>_<name>_<section>.
type KRI struct {
	ShortName string // of the kind: "msvc" for MeshService
	Mesh      string
	Zone      string
	Namespace string
	Name      string
	Section   string
}

// KRI returns the identifier of a resource whose kind has the given short
// name; empty when the kind has none.
func (id ID) KRI(shortName string) string {
	if shortName == "" {
		return ""
	}
	return KRI{ShortName: shortName, Mesh: id.Mesh, Zone: id.Zone, Namespace: id.Namespace, Name: id.Name}.String()
}

// String returns the identifier as a string.
func (k KRI) String() string {
	return strings.Join([]string{"kri", k.ShortName, k.Mesh, k.Zone, k.Namespace, k.Name, k.Section}, "_")
}

// SNI returns the server name under which proxies reach the section of a service over
// mutual TLS. It has the parts of k that are not empty (rest-api.md §3); only
// services have server names.
func (k KRI) SNI() string {
	parts := []string{"sni", k.ShortName, k.Mesh, k.Zone, k.Namespace, k.Name, k.Section}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ".")
}

// ParseKRI parses an identifier, and fails if s has another form. As on the
// control plane, parts beyond the sixth are concatenated without "_" to form
// the section, so a name that contains "_" is not preserved.
func ParseKRI(s string) (KRI, error) {
	const parts = 7
	p := strings.Split(s, "_")
	if len(p) < parts || p[0] != "kri" {
		return KRI{}, fmt.Errorf("%q is not an identifier of the form kri_<kind>_<mesh>_<zone>_<namespace>_<name>_<section>", s)
	}
	return KRI{ShortName: p[1], Mesh: p[2], Zone: p[3], Namespace: p[4], Name: p[5], Section: strings.Join(p[6:], "")}, nil
}

package kinds

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/spiffe/go-spiffe/v2/spiffeid"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// PathError says that the path of a MeshIdentity is not valid for a Dataplane.
type PathError struct {
	Label string // that the Dataplane does not have; empty if the cause is another
	err   error
}

func (e *PathError) Error() string {
	if e.Label != "" {
		return fmt.Sprintf("the path of its MeshIdentity requires the label %q, which the Dataplane does not have", e.Label)
	}
	return e.err.Error()
}

// Unwrap returns the error of the template or of the SPIFFE ID.
func (e *PathError) Unwrap() error { return e.err }

// SPIFFEID returns the SPIFFE ID that a MeshIdentity gives to a Dataplane that it
// selects, in universal mode (validation.md, MeshIdentity). With a [PathError], the proxy
// gets no configuration. Other errors concern the trust domain.
func SPIFFEID(identity, dataplane kuma.Resource) (string, error) {
	format := tree.Root(identity.Spec()).Get("spiffeID")
	trustDomain, domainErr := trustDomainOf(format, dataplane)
	path, err := pathOf(format, dataplane, trustDomain)
	if err := cmp.Or(err, domainErr); err != nil {
		return "", err
	}
	return "spiffe://" + trustDomain + path, nil
}

// TrustDomain returns the trust domain of the SPIFFE ID that a MeshIdentity gives to a Dataplane.
func TrustDomain(identity, dataplane kuma.Resource) (string, error) {
	return trustDomainOf(tree.Root(identity.Spec()).Get("spiffeID"), dataplane)
}

// errUnknownZone says that a template requires the zone of a Dataplane that does not have the
// label of one.
var errUnknownZone = fmt.Errorf(
	"the trust domain of its MeshIdentity contains the zone, which is not known: set the label %s of the Dataplane to the name of the zone",
	kuma.LabelZone)

// trustDomainOf renders the trust domain, in which labels are not available.
func trustDomainOf(format tree.Node, dataplane kuma.Resource) (string, error) {
	text, _ := format.Get("trustDomain").Text()
	text = cmp.Or(text, "{{ .Mesh }}.{{ .Zone }}.mesh.local")
	known := map[string]string{"Mesh": dataplane.Mesh, "Zone": dataplane.Zone()}
	domain, err := rendered(text, known, nil)
	if err == nil && known["Zone"] == "" {
		known["Zone"] = "zone"
		if other, _ := rendered(text, known, nil); other != domain {
			return "", errUnknownZone
		}
	}
	return domain, err
}

// pathOf renders the path. Its error is a [PathError].
func pathOf(format tree.Node, dataplane kuma.Resource, trustDomain string) (string, error) {
	text, _ := format.Get("path").Text()
	text = cmp.Or(text, "/workload/{{ .Workload }}")
	workload, hasWorkload := dataplane.Labels[kuma.LabelWorkload]
	fields := map[string]string{"TrustDomain": trustDomain, "Workload": workload, "Namespace": "", "ServiceAccount": ""}
	path, err := rendered(text, fields, dataplane.Labels)
	if missing, ok := errors.AsType[missingLabelError](err); ok {
		return "", &PathError{string(missing), err}
	}
	if err == nil {
		_, err = spiffeid.FromString("spiffe://any" + path)
	}
	switch {
	case err == nil:
		return path, nil
	case strings.Contains(text, ".Workload") && !hasWorkload:
		return "", &PathError{kuma.LabelWorkload, err}
	default:
		return "", &PathError{"", err}
	}
}

// CheckSPIFFEID returns why a string is not a SPIFFE ID, nil if it is one.
func CheckSPIFFEID(id string) error {
	_, err := spiffeid.FromString(id)
	return err
}

// missingLabelError is a label that a template requires.
type missingLabelError string

func (e missingLabelError) Error() string { return fmt.Sprintf("the label %q is missing", string(e)) }

// rendered returns the result of a template, or an error if it requires a field or a label
// that does not exist.
func rendered(text string, fields, labels map[string]string) (string, error) {
	read, err := check.ParseTemplate(text)
	if err != nil {
		return "", err
	}
	read.Option("missingkey=error").Funcs(template.FuncMap{check.TemplateLabel: func(key string) (string, error) {
		if value, ok := labels[key]; ok {
			return value, nil
		}
		return "", missingLabelError(key)
	}})
	var out strings.Builder
	err = read.Execute(&out, fields)
	return out.String(), err
}

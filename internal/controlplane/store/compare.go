package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// UpToDate reports whether writing a resource over what is stored would change
// nothing.
func (r Resources) UpToDate(res, stored kuma.Resource) bool {
	if !Described(r.kind) {
		return tree.Equal(res.WithoutMeshLabel().Document(), stored.WithoutMeshLabel().Document())
	}
	next, _ := r.merge(res, stored)
	next, current := r.normal(next), r.normal(stored)
	return tree.Equal(next.Body, current.Body) && maps.Equal(next.Labels, current.Labels)
}

// wasWritten reports whether the stored resource may be the result of writing
// sent. How the control plane completes an undescribed kind is not known.
func (r Resources) wasWritten(sent, stored kuma.Resource) bool {
	if Described(r.kind) {
		return r.UpToDate(sent, stored)
	}
	return Contains(stored.Document(), sent.Document())
}

// merge returns what to write over a stored resource: res, with the fields that
// only the control plane writes, the labels that it computed or that cannot be
// removed, the secrets that res omits, and the fields of later releases. It also
// returns the paths of fields that have no place in res and would be lost.
func (r Resources) merge(res, stored kuma.Resource) (_ kuma.Resource, lost []tree.Path) {
	res = res.Clone()
	r.keepSecrets(res, stored)
	if def.HasSensitive(r.kind.Root()) {
		res.Body = r.kind.KeepOmittedSecrets(res.Body, stored.Body)
	}
	if !Described(r.kind) {
		return res, nil
	}
	r.kind.KeepServerOwned(&res, stored)
	res.Labels = WithServerLabels(res.Labels, stored.Labels, r.store.ControlPlane.Release)
	return res, r.kind.KeepUnknown(&res, stored, !r.whole)
}

// WithServerLabels returns the labels of a resource that is written over a stored one,
// with those of the stored one that the write has to carry.
func WithServerLabels(labels, stored map[string]string, r kuma.Release) map[string]string {
	kept := maps.Clone(stored)
	maps.DeleteFunc(kept, func(key, _ string) bool { return !kuma.KeptLabel(key, stored, r) })
	if len(kept) == 0 {
		return labels
	}
	maps.Copy(kept, labels)
	return kept
}

// LabelsAfter predicts the labels of a resource that is written over a stored one,
// or over none if that is the zero value.
func (r Resources) LabelsAfter(res, stored kuma.Resource) map[string]string {
	if Described(r.kind) {
		res.Labels = WithServerLabels(res.Labels, stored.Labels, r.store.ControlPlane.Release)
	}
	return r.kind.Labels(res, r.store.ControlPlane)
}

// normal returns the canonical form of a stored resource, including fields that
// the description of the kind does not have.
func (r Resources) normal(res kuma.Resource) kuma.Resource {
	out := r.kind.Normalize(res, def.StoreContext{ControlPlane: r.store.ControlPlane})
	r.kind.KeepUnknown(&out, res, true)
	return out
}

// UnknownFields returns the paths of fields that a later release stored.
func (r Resources) UnknownFields(stored kuma.Resource) []tree.Path {
	if !Described(r.kind) {
		return nil
	}
	return phrase.Each(r.kind.UnknownFields(stored), func(p def.Problem) tree.Path { return p.Path })
}

// Contains reports whether a decoded tree contains everything in another one.
func Contains(decoded, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		m, ok := decoded.(map[string]any)
		for name, v := range part {
			ok = ok && Contains(m[name], v)
		}
		return ok
	case []any:
		list, ok := decoded.([]any)
		ok = ok && len(list) == len(part)
		for i := range part {
			ok = ok && Contains(list[i], part[i])
		}
		return ok
	default:
		return tree.Equal(decoded, part)
	}
}

// Differences lists what writing a resource over a stored one changes, one line
// for each value, without secrets; nil when nothing changes.
func (r Resources) Differences(stored, res kuma.Resource) []string {
	if r.wasWritten(res, stored) {
		return nil
	}
	before, after := stored, res
	if Described(r.kind) {
		next, _ := r.merge(res, stored)
		before, after = r.kind.WithoutServerOwned(r.normal(stored)), r.kind.WithoutServerOwned(r.normal(next))
	}
	shown := map[string]string{}
	for _, d := range tree.Diff(r.kind.WithoutSecrets(before).Document(), r.kind.WithoutSecrets(after).Document()) {
		shown[d.Path.String()] = formatValue(d.A) + " -> " + formatValue(d.B)
	}
	var lines []string
	for _, d := range tree.Diff(before.Document(), after.Document()) {
		at := d.Path.String()
		lines = append(lines, fmt.Sprintf("%s: %s", at, cmp.Or(shown[at], "(sensitive value)")))
	}
	return lines
}

func formatValue(v any) string {
	if v == nil {
		return "(not set)"
	}
	return phrase.JSON(v)
}

// Fingerprint identifies the user-defined part of a stored resource, independent
// of its spelling. Control planes update some resources continuously, so the
// modification time does not identify it. Secrets are the exception: their
// fingerprint is that time, because a hash would help to guess the secret. It is
// empty when the stored version is unknown. Before Kuma 3.0, a second hash follows if
// that release will read the resource without some of its fields.
func (r Resources) Fingerprint(stored kuma.Resource) string {
	if len(r.kind.SecretFields()) > 0 {
		if stored.ModificationTime.IsZero() {
			return "" // it could not be read back
		}
		return stored.ModificationTime.Format(time.RFC3339Nano)
	}
	if !Described(r.kind) {
		return hash(stored)
	}
	now := hash(r.userDefined(stored))
	if !r.store.ControlPlane.Release.Kuma3() {
		upgraded := &Store{Capabilities: r.store.Capabilities}
		upgraded.ControlPlane.Release = release3
		stored = stored.Clone()
		r.kind.DropUnsupported(stored.Body, release3)
		if then := hash(upgraded.Resources(r.kind).userDefined(stored)); then != now {
			return now + " " + then
		}
	}
	return now
}

var release3 = kuma.ParseRelease("3.0")

// userDefined returns what users define of a stored resource. Control planes of later releases set
// the label kuma.io/display-name to the name.
func (r Resources) userDefined(stored kuma.Resource) kuma.Resource {
	stored = r.kind.WithoutServerOwned(r.normal(stored))
	if stored.Labels[kuma.LabelDisplayName] == stored.Name {
		delete(stored.Labels, kuma.LabelDisplayName)
	}
	return stored
}

func hash(r kuma.Resource) string {
	const bytes = 15                      // a multiple of 3 has no padding
	text, _ := json.Marshal(r.Document()) // decoded JSON cannot fail
	sum := sha256.Sum256(text)
	return base64.StdEncoding.EncodeToString(sum[:bytes])
}

// CheckUnchanged returns a [ChangedError] if a stored resource does not have the
// fingerprint, or on Kuma 3.0 the one that an older release predicted. It accepts any resource
// with [Options.Overwrite], unless r is compared, or when the fingerprint is empty.
func (r Resources) CheckUnchanged(current kuma.Resource, fingerprint string) error {
	if fingerprint == "" || r.overwrites() {
		return nil
	}
	if is := r.Fingerprint(current); is == fingerprint || r.store.ControlPlane.Release.Kuma3() && strings.HasSuffix(fingerprint, " "+is) {
		return nil
	}
	return &ChangedError{Key: current.Key(), At: current.ModificationTime}
}

// OmitsSecret reports whether a resource has no value for a secret field. An empty string
// is a value.
func (r Resources) OmitsSecret(res kuma.Resource) bool {
	return slices.ContainsFunc(r.kind.SecretFields(), func(f def.Field) bool { return res.Body[f.Name] == nil })
}

// keepSecrets adds to a resource the stored secrets that it omits.
func (r Resources) keepSecrets(res, stored kuma.Resource) {
	for _, f := range r.kind.SecretFields() {
		if value, ok := stored.Body[f.Name]; ok && res.Body[f.Name] == nil {
			res.Body[f.Name] = value
		}
	}
}

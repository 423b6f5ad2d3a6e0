package answer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Effect is a kind of effect of a change, by which a review can refuse it.
type Effect string

// Effects, the most severe first.
const (
	MeshDeleted     Effect = "mesh-deleted"
	ProxiesFrozen   Effect = "frozen"
	ServiceRemoved  Effect = "service-removed" // that proxies have outbounds to
	AccessLost      Effect = "access-lost"
	AccessGained    Effect = "access-gained"
	RequestsChanged Effect = "requests-changed"
	NewError        Effect = "error" // of the linter
	NewWarning      Effect = "warning"
	NewInfo         Effect = "info"
	SettingsChanged Effect = "settings-changed"
	NotComputed     Effect = "unknown"
)

// Effects returns all effects, the most severe first.
func Effects() []Effect {
	return []Effect{
		NotComputed, MeshDeleted, ProxiesFrozen, ServiceRemoved, AccessLost, AccessGained, RequestsChanged, NewError, NewWarning,
		NewInfo, SettingsChanged,
	}
}

// Review is what a change does to a mesh.
type Review struct {
	Mesh     string          `json:"mesh"`
	Impact   Impact          `json:"impact"`
	Findings []ReviewFinding `json:"findings"`
}

// ReviewFinding is one effect of a change.
type ReviewFinding struct {
	// ID is the same for the same effect, whatever else the change does.
	ID         string `json:"id"`
	Effect     Effect `json:"effect"`
	Code       string `json:"code,omitzero"` // of the linter
	Type       string `json:"type,omitzero"` // of the resource that the finding is about
	Name       string `json:"name,omitzero"`
	Path       string `json:"path,omitzero"` // in its document
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitzero"`
}

// OfReview compares a mesh before and after a change. The findings of the linter are those that the
// change adds, or all of them.
func OfReview(before, after input.Mesh, allFindings bool) (Review, error) {
	before, after = before.InZones(), after.InZones()
	first, _ := before.Snapshot()
	second, caveat := after.Snapshot()
	i, err := impact.Compare(first, second, after.Name)
	if err != nil {
		return Review{}, err
	}
	r := reviewer{mesh: after.Name}
	if before.Exists() && !after.Exists() {
		r.add(MeshDeleted, ReviewFinding{
			Type: kuma.KindMesh, Name: after.Name,
			Message: fmt.Sprintf("The mesh is deleted, with %s in it.", phrase.Count(contents(before), "resource", "resources")),
		})
		return Review{after.Name, ofImpact(i, after, caveat, true), r.findings}, nil
	}
	r.addImpact(i)
	r.addLint(before, after, allFindings)
	return Review{after.Name, ofImpact(i, after, caveat, true), r.findings}, nil
}

func contents(m input.Mesh) (n int) {
	for _, r := range m.Resources {
		if r.Mesh == m.Name {
			n++
		}
	}
	return n
}

// reviewer collects findings about a mesh.
type reviewer struct {
	mesh     string
	findings []ReviewFinding
}

var notInID = regexp.MustCompile(`[^\pL\pN._:-]+`)

// add adds a finding. Its identifier names what it is about, and depends on all particulars.
func (r *reviewer) add(e Effect, f ReviewFinding, particulars ...string) {
	f.Effect = e
	subject := phrase.Paragraph(f.Type, f.Name, f.Code)
	sum := sha256.Sum256([]byte(strings.Join(append([]string{f.Type, f.Name, f.Code, f.Message}, particulars...), "\x00")))
	const digits = 4
	f.ID = fmt.Sprintf("%s/%s/%s/%s", e, r.mesh, strings.Trim(notInID.ReplaceAllString(subject, "-"), "-"), hex.EncodeToString(sum[:digits]))
	if !slices.ContainsFunc(r.findings, func(o ReviewFinding) bool { return o.ID == f.ID }) {
		r.findings = append(r.findings, f)
	}
}

const namesInFinding = 5

func (r *reviewer) addImpact(i impact.Impact) {
	for _, f := range i.Frozen {
		r.add(ProxiesFrozen, ReviewFinding{
			Type: f.Resource.Type, Name: f.Resource.Name, Path: f.Path.String(), Suggestion: f.Advice,
			Message: fmt.Sprintf("The proxies of %s can no longer be configured, because %s. "+
				"They keep the configuration that they have, and get no update at all.", phrase.Some(f.Dataplanes, namesInFinding, "dataplanes"),
				f.Reason),
		}, f.Dataplanes...)
	}
	for _, l := range i.LostServices {
		r.add(ServiceRemoved, ReviewFinding{
			Type: l.Service.Type, Name: l.Service.Name, Message: fmt.Sprintf("%s, and these dataplanes have outbounds to it: %s.",
				l, phrase.Some(l.Dataplanes, namesInFinding, "")),
		}, l.Dataplanes...)
	}
	for _, list := range []struct {
		Effect
		verb    string
		changes []access.Change
	}{{AccessLost, "can no longer call", i.AccessLost}, {AccessGained, "can now call", i.AccessGained}} {
		for _, c := range list.changes {
			message := fmt.Sprintf("%s %s %s port %d: %s.", phrase.Some(c.Clients, namesInFinding, "clients"), list.verb, c.Port.Resource.Name,
				c.Port.Number, c.After.By())
			if !c.Reachable {
				message = strings.TrimSuffix(message, ".") + ". There is no outbound to it."
			}
			f := ReviewFinding{Type: c.Port.Resource.Type, Name: c.Port.Resource.Name, Message: message}
			if by := c.After.Policy; by != (kuma.Key{}) {
				f.Type, f.Name = by.Type, by.Name
			}
			r.add(list.Effect, f, c.Clients...)
		}
	}
	for _, c := range i.RequestsChanged {
		r.add(RequestsChanged, ReviewFinding{
			Type: c.Port.Resource.Type, Name: c.Port.Resource.Name,
			Message: fmt.Sprintf("Requests of %s: %s.", phrase.Some(c.Clients, namesInFinding, "dataplanes"), c),
		}, c.Clients...)
	}
	for _, row := range i.Rows() {
		r.add(SettingsChanged, settingFinding(row), row.Dataplanes...)
	}
}

// settingFinding is about a value that changes, and names the entry that sets it.
func settingFinding(row impact.Row) ReviewFinding {
	f := ReviewFinding{Type: row.Type, Message: fmt.Sprintf("%s. It changes on %s.",
		strings.TrimSuffix(row.String(), "."), phrase.Some(row.Dataplanes, namesInFinding, "dataplanes"))}
	for _, v := range []*impact.Value{row.After, row.Before} {
		if v != nil && v.SetBy.Name != "" && f.Name == "" {
			f.Type, f.Name = v.SetBy.Type, v.SetBy.Name
		}
	}
	return f
}

// addLint adds what the linter finds after the change, and not before.
func (r *reviewer) addLint(before, after input.Mesh, all bool) {
	type identity struct{ code, kind, name, message string }
	known := map[identity]int{}
	identify := func(f Finding) identity { return identity{f.Code, f.Type, f.Name, f.Message} }
	if before.Exists() && !all {
		for _, f := range OfLint(before, false, nil, true).Findings {
			known[identify(f)]++
		}
	}
	effects := map[string]Effect{string(lint.Error): NewError, string(lint.Warning): NewWarning, string(lint.Info): NewInfo}
	for _, f := range OfLint(after, false, nil, true).Findings {
		if id := identify(f); known[id] > 0 {
			known[id]--
			continue
		}
		r.add(effects[f.Severity], ReviewFinding{
			Code: f.Code, Type: f.Type, Name: f.Name, Path: f.Path, Message: f.Message,
			Suggestion: f.Suggestion,
		}, f.Path)
	}
}

// Unknown returns the finding about a resource whose effect cannot be computed.
func Unknown(key kuma.Key, address, reason string) ReviewFinding {
	r := reviewer{mesh: key.Mesh}
	r.add(NotComputed, ReviewFinding{Type: key.Type, Name: key.Name, Message: reason}, address)
	return r.findings[0]
}

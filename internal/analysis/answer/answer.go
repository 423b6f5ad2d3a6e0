package answer

import (
	_ "embed"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Descriptions describes the fields by the names of their structs.
//
//go:embed answers.md
var Descriptions string

// Limits of what a state contains. The descriptions state them too.
const (
	MaxRows       = 200 // of a list of changes or of access
	MaxDataplanes = 100 // of a group of rules
	MaxNames      = 50  // of a change or a row of access
	MaxFindings   = 50  // of a code
	MaxGroups     = 20
)

// documentWarnings is a part of all answers.
type documentWarnings struct {
	Warnings []string `json:"warnings"`
}

// limited returns at most the first elements of a list, or all if the answer is complete.
func limited[T any](list []T, most int, complete bool) []T {
	if complete {
		return list
	}
	return list[:min(len(list), most)]
}

// afterCaveat returns a text for people that begins with what must be said about the
// release, if anything.
func afterCaveat(caveat, text string) string {
	if caveat != "" {
		return caveat + "\n\n" + text
	}
	return text
}

// Entry identifies an entry of a policy.
type Entry struct {
	Name      string `json:"name"`
	KRI       string `json:"kri"`
	RuleIndex int    `json:"rule_index"`
}

func entryOf(o rules.Origin) *Entry {
	return &Entry{o.ResourceMeta.Name, kriOf(o.ResourceMeta), o.RuleIndex}
}

// kriOf returns the identifier of a resource.
func kriOf(m rules.Meta) string { return kinds.KRI(m.ID()) }

// portKRI returns the identifier of a port, empty if it does not exist.
func portKRI(p rules.Port) string {
	if p.Number == 0 {
		return ""
	}
	return kinds.KRI(p.Resource) + p.Section
}

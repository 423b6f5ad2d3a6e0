package policy

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// To describes the settings for outgoing traffic, one entry per destination.
func To(conf def.Field, kinds ...string) def.Field {
	return toEntries(def.TargetRef(kinds), conf)
}

// ToSince is [To] with more kinds of destinations, which are accepted only since the
// given releases.
func ToSince(since map[string]string, conf def.Field, kinds ...string) def.Field {
	ref := def.TargetRef(append(kinds, slices.Sorted(maps.Keys(since))...))
	ref[0].SinceOf = since
	return toEntries(ref, conf)
}

// RequiredIn returns a section that some releases require.
func RequiredIn(releases kuma.Releases, section def.Field) def.Field {
	section.RequiredIn = releases
	return section
}

func toEntries(ref def.Object, conf def.Field) def.Field {
	f := entriesOf("to", "Settings for outgoing traffic, one entry per destination.", "The destination.", ref, conf)
	f.Design = def.Checks(destinationsOnce)
	return f
}

// From describes the settings for incoming traffic in the deprecated form.
func From(conf def.Field, kinds ...string) def.Field {
	f := entries("from", "Settings for incoming traffic, one entry per group of clients.", "The clients.", kinds,
		conf)
	f.Deprecated = "Use `rules`."
	f.Removed = def.RemovedIn3("Use rules.")
	if len(kinds) > 1 { // for some clients only
		f.Removed = def.RemovedIn3("Use rules, which select clients by their SPIFFE IDs.")
	}
	return f
}

func entries(name, doc, refDoc string, kinds []string, fields ...def.Field) def.Field {
	return entriesOf(name, doc, refDoc, def.TargetRef(kinds), fields...)
}

func entriesOf(name, doc, refDoc string, targetRef def.Object, fields ...def.Field) def.Field {
	ref := def.Field{
		Name: "targetRef", Type: targetRef, Required: true, Doc: refDoc, Checks: def.Checks(def.ReferenceFields()),
		Design: def.Checks(def.UncheckedFields()),
	}
	return def.List{Elem: append(def.Object{ref}, fields...)}.Field(name, doc)
}

// Rules describes the settings for incoming traffic.
func Rules(since string, fields ...def.Field) def.Field {
	f := AdditiveRules(since, fields...)
	f.Design = def.Checks(catchAllOnce)
	return f
}

// AdditiveRules is [Rules] for a kind whose matching rules all apply.
func AdditiveRules(since string, fields ...def.Field) def.Field {
	return def.Field{Name: "rules", Since: since, Doc: "Settings for incoming traffic.", Type: def.List{Elem: def.Object(fields)}}
}

// Default describes the settings of one entry.
func Default(conf def.Object, checks ...def.Check) def.Field {
	return def.Field{Name: "default", Type: conf, Required: true, Doc: "The settings.", Checks: checks}
}

// DefaultByRule is [Default] for a kind whose rules require it and whose schema
// does not.
func DefaultByRule(conf def.Object, checks ...def.Check) def.Field {
	f := Default(conf, checks...)
	f.RequiredByRule = true
	return f
}

// OptionalDefault describes the settings of one entry, which are optional.
func OptionalDefault(conf def.Object, checks ...def.Check) def.Field {
	return def.Field{
		Name: "default", Type: conf, Default: map[string]any{}, Doc: "The settings. Without them, the entry has no effect.",
		Checks: checks,
	}
}

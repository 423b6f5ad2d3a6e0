package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Overview is the first page of a report: whether the mesh is ready, and what is left in the order in
// which it is done.
type Overview struct {
	Ready bool // nothing is left before the upgrade
	Text  string
}

// Checks are what else was checked for an overview, as sentences.
type Checks struct {
	Running     []string // releases and features that the control plane and proxies lack
	Settings    []string // what to change in the configuration of the control plane before the upgrade
	Authorities []string // what keeps Kuma 3.0 from issuing certificates
	Others      []string // what was checked or not
}

// Overview summarizes the result for the documents that it was computed from.
func (r Result) Overview(documents int, checks Checks) Overview {
	o := overview{
		Result: r, checks: checks, decisions: groups(slices.Concat(r.Report.Of(Manual), r.Report.Of(Kept))),
		writes: [2]int{r.Report.writes(1), r.Report.writes(2)}, removed: r.Report.Of(Removed),
	}
	o.byHand = slices.DeleteFunc(slices.Clone(o.removed), func(i Item) bool { return i.Deletion == "" })
	o.deleted = slices.DeleteFunc(slices.Clone(o.removed), func(i Item) bool { return i.Stage != 1 || i.Path != "" })
	o.heading(documents)
	o.before()
	o.WriteString("\nUpgrade\n")
	o.step("Upgrade the global control plane if there is one, then one zone after the other, then the proxies.%s", o.lostInZones())
	o.after()
	o.checked()
	return Overview{Ready: o.ready(), Text: o.String()}
}

// lostInZones says what a global control plane of 3.0 no longer sends to zones of 2.14.
func (o *overview) lostInZones() string {
	var lost []string
	add := func(what string, from func(r kuma.Resource) bool) {
		if slices.ContainsFunc(o.StageOne, from) {
			lost = append(lost, what)
		}
	}
	ofMesh := func(path ...string) func(kuma.Resource) bool {
		return func(r kuma.Resource) bool { return r.Type == kuma.KindMesh && tree.Root(r.Body).Get(path...).Filled() }
	}
	add("mtls of the Mesh", ofMesh("mtls", "enabledBackend"))
	add("its routing", ofMesh("routing"))
	add("builtin gateways", func(r kuma.Resource) bool { return r.Type == kuma.KindMeshGateway })
	add("older kinds", func(r kuma.Resource) bool { _, older := kinds.FindOlder(r.Type); return older })
	if len(lost) == 0 {
		return ""
	}
	return " From a global control plane of 3.0, zones of 2.14 no longer get " + phrase.Or(lost...) + "."
}

// overview writes the first page.
type overview struct {
	Result
	strings.Builder

	checks           Checks
	decisions        []Report
	writes           [2]int // documents that each stage rewrites or adds
	removed, deleted Report // in both stages, and documents that stage one deletes
	byHand           Report // documents to delete on 2.14, after stage one
	steps            int
}

func (o *overview) ready() bool {
	checks := len(o.checks.Running) + len(o.checks.Settings) + len(o.checks.Authorities)
	return checks+len(o.decisions)+o.writes[0]+len(o.deleted)+len(o.byHand) == 0
}

func (o *overview) heading(documents int) {
	switch {
	case documents == 0:
		o.WriteString("Kuma 3.0: not decidable, because there are no documents.\n")
	case o.ready():
		o.WriteString("Kuma 3.0: ready. Nothing is left to do before the upgrade.\n")
	default:
		var left []string
		for _, work := range []struct {
			n                  int
			one, several, what string
		}{
			{len(o.checks.Running), "release or feature is", "releases or features are", "missing"},
			{len(o.checks.Settings), "setting", "settings", "of the control plane must change"},
			{len(o.checks.Authorities), "authority", "authorities", "must be replaced"},
			{len(o.decisions), "decision is", "decisions are", "open"},
			{o.writes[0] + len(o.deleted), "document changes", "documents change", "in stage one"},
			{len(o.byHand), "document", "documents", "must be deleted"},
		} {
			if work.n > 0 {
				left = append(left, phrase.Count(work.n, work.one, work.several)+" "+work.what)
			}
		}
		text := phrase.And(left...)
		fmt.Fprintf(o, "Kuma 3.0: not ready. %s%s.\n", strings.ToUpper(text[:1]), text[1:])
	}
}

// step writes a numbered step.
func (o *overview) step(format string, args ...any) {
	o.steps++
	fmt.Fprintf(o, "%d. %s\n", o.steps, fmt.Sprintf(format, args...))
}

// list writes a step with a line for each part of it, and nothing without parts.
func (o *overview) list(title string, parts []string) {
	if len(parts) > 0 {
		o.step(title, len(parts))
	}
	for _, part := range parts {
		fmt.Fprintf(o, "   - %s\n", part)
	}
}

func (o *overview) before() {
	o.WriteString("\nBefore the upgrade, on Kuma 2.14\n")
	if owners := o.Report.owners(); len(owners) > 0 {
		fmt.Fprintf(o, "   Run upgrade with the other control planes, too, which own other documents: %s.\n"+
			"   Apply stage one in the zones first, then on the global control plane, then in the zones again.\n", phrase.And(owners...))
	}
	o.list("Upgrade or configure control planes and kuma-dp (%d):", o.checks.Running)
	o.list("Change the configuration of the control plane (%d):", o.checks.Settings)
	o.list("Replace the authorities that Kuma 3.0 does not accept (%d):", o.checks.Authorities)
	added := map[kuma.Key]bool{}
	for _, i := range o.Report.Of(Added) {
		added[i.Key] = true
	}
	summaries := phrase.Each(o.decisions, func(d Report) string { return d.summary(added) })
	o.list("Decide what cannot be rewritten (%d), the most dangerous first:", summaries)
	if o.writes[0]+len(o.deleted) > 0 {
		effect := "No proxy changes."
		switch {
		case !o.Proof.StageOne.None():
			effect = "Proxies change: see the proof."
		case len(o.Proof.Listeners) > 0:
			effect = o.Proof.listeners() + " Nothing else changes."
		}
		work := phrase.Count(o.writes[0], "document", "documents") + " for 2.14 that 3.0 reads, too"
		if len(o.deleted) > 0 {
			work += ", and delete " + o.deleted.names()
		}
		o.step("Apply stage one, %s. %s", work, effect)
	}
	o.list("Delete documents of older kinds in this order (%d):", o.deletions())
	if o.steps == 0 {
		o.WriteString("   Nothing.\n")
	}
}

// deletions returns a line for the documents of each kind to delete, those first that others wait for.
func (o *overview) deletions() (lines []string) {
	type deletion struct{ kind, when string }
	same := phrase.Grouped(o.byHand, func(i Item) deletion { return deletion{i.Key.Type, i.Deletion} })
	for _, first := range []bool{true, false} {
		for _, r := range same {
			if (r[0].Key.Type == kinds.TrafficRoute) == first {
				names := phrase.Some(phrase.Each(r, func(i Item) string { return i.Key.Name }), maxNames, "")
				lines = append(lines, phrase.Printable(r[0].Key.Type+" "+names+": "+r[0].Deletion))
			}
		}
	}
	return lines
}

func (o *overview) after() {
	o.WriteString("\nAfter the upgrade, on Kuma 3.0\n")
	changed := o.Proof.Dataplanes()
	effect := "No proxy changes, compared with stage one on 2.14."
	switch {
	case len(changed) == 0 && len(o.Proof.NotCompared[1]) > 0:
		effect = "As far as it is compared with stage one on 2.14, no proxy changes."
	case len(changed) > 0:
		effect = fmt.Sprintf("Compared with stage one on 2.14, the upgrade and stage two change %s: %s.",
			phrase.Count(len(changed), "proxy", "proxies"), phrase.Some(changed, maxNames, ""))
	}
	var work []string
	if o.writes[1] > 0 {
		work = append(work, "writes "+phrase.Count(o.writes[1], "document", "documents"))
	}
	if n := o.removed.documents() - o.deleted.documents() - o.byHand.documents(); n > 0 {
		work = append(work, "removes "+phrase.Count(n, "document or a part of one", "documents or parts of them"))
	}
	if len(work) > 0 {
		o.step("Apply stage two, which %s. %s", phrase.And(work...), effect)
	} else {
		o.step("Stage two has nothing to apply. %s", effect)
	}
}

func (o *overview) checked() {
	o.WriteString("\nChecked, and not checked\n")
	checks := o.checks.Others
	if len(o.checks.Running)+len(o.checks.Settings)+len(checks) == 0 { // the documents are all that is known
		checks = []string{"Not checked: the configuration of the control plane, authorities in Secrets, and the releases and features of " +
			"running proxies."}
	}
	for i, stage := range []string{"one", "two"} {
		for _, what := range o.Proof.NotCompared[i] {
			checks = append(checks, "Not compared in stage "+stage+": "+what+".")
		}
	}
	for _, c := range append(checks, "Not checked: which tokens proxies have.") {
		fmt.Fprintf(o, "- %s\n", c)
	}
}

// owners returns the other control planes that own documents, with the numbers of these.
func (r Report) owners() (all []string) {
	for _, of := range phrase.Grouped(r.Of(Elsewhere), func(i Item) string { return i.Owner }) {
		all = append(all, fmt.Sprintf("%s (%s)", of[0].Owner, phrase.Count(len(of), "document", "documents")))
	}
	return phrase.Sorted(all)
}

// writes returns the number of documents that a stage rewrites or adds.
func (r Report) writes(stage int) int {
	keys := map[string]bool{}
	for _, i := range r {
		if i.Stage == stage && (i.Action == Rewritten || i.Action == Added) {
			keys[i.Key.String()] = true
			for _, name := range i.Also {
				keys[i.Key.Type+i.Key.Mesh+name] = true
			}
		}
	}
	return len(keys)
}

// documents returns the number of documents that the items are about.
func (r Report) documents() (n int) {
	for _, i := range r {
		n += 1 + len(i.Also)
	}
	return n
}

// groups unites items with the same condition or text, in their order.
func groups(r Report) []Report {
	return phrase.Grouped(r, func(i Item) string {
		switch {
		case i.Condition == "":
			return i.Key.Type + i.everywhere() + i.Rewrite
		case i.Rewrite == rewriteOlder: // each older kind has its reason
			return i.Condition + i.Key.Type
		default:
			return i.Condition
		}
	})
}

// names returns the names of the documents of a group of items, the first ones of many.
func (r Report) names() string {
	const most = 3
	var names []string
	for _, i := range r {
		if name := i.Key.Local(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return phrase.Some(names, most, "")
}

// sentence returns the first sentence about an item.
func (i Item) sentence() string {
	if end := strings.Index(i.Text, ". "); end > 0 {
		return i.Text[:end+1]
	}
	return i.Text
}

// summary is one line about a group of items. Their documents may be ones that the stages add.
func (r Report) summary(added map[kuma.Key]bool) string {
	text := r[0].sentence()
	if slices.ContainsFunc(r, func(i Item) bool { return i.Key != r[0].Key && i.sentence() != text }) {
		text = "For " + r[0].Key.Local() + ": " + text
	}
	condition := r[0].Condition
	if condition != "" {
		condition += " "
	}
	names := r.names()
	if !slices.ContainsFunc(r, func(i Item) bool { return !added[i.Key] }) {
		names += ", which the stages add"
	}
	return phrase.Printable(fmt.Sprintf("%s%s: %s", condition, names, text))
}

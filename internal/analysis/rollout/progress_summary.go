package rollout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// headings describe the outcomes that a summary lists.
var headings = map[Outcome]string{
	Rejected:     "Rejected the configuration, and keep the one that they had; the reason is in the log of the control plane",
	Pending:      "Have not acknowledged it yet",
	NotSent:      "Should have got a configuration, but got none: either the change does not affect their Envoy configuration, or the control plane cannot generate it, and its log says why",
	ZoneOffline:  "Keep the configuration that they had, because their zone is not connected to the global control plane; they get it when the zone connects",
	Disconnected: "Offline: they get the configuration when they connect",
}

// Counts describes the number of proxies by outcome: "of 3 proxies, 1 pending and 2
// acknowledged".
func (r Result) Counts() string {
	var counts []string
	total := 0
	for _, o := range Outcomes() {
		n := len(r.Proxies[o])
		total += n
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(o), "_", " ")))
		}
	}
	if total == 0 {
		return "there are no proxies"
	}
	return fmt.Sprintf("of %s, %s", phrase.Count(total, "proxy", "proxies"), phrase.And(counts...))
}

// Summary describes the progress for a person: numbers, and the names of the proxies that
// do not have the change.
func (r Result) Summary() string {
	verdict := "The rollout is complete"
	switch {
	case !r.Complete():
		verdict = "The rollout is not complete"
	case len(r.Proxies) == 1 && len(r.Proxies[Disconnected]) > 0:
		verdict = "No proxy is connected"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s.\n", verdict, r.Counts())
	list := func(heading string, o Outcome, unclear bool) {
		of := Result{Proxies: map[Outcome][]Proxy{o: slices.DeleteFunc(slices.Clone(r.Proxies[o]), func(p Proxy) bool { return r.unclear[p.Key()] != unclear })}}
		if names := of.Names(o); len(names) > 0 {
			fmt.Fprintf(&b, "%s: %s.\n", heading, phrase.Some(names, mostNames, ""))
		}
	}
	for _, o := range Outcomes() {
		if heading, listed := headings[o]; listed {
			list(heading, o, false)
		}
	}
	list("Rejected a configuration since they connected, of this change or of an earlier one; the log of the control plane says which", Rejected, true)
	return b.String()
}

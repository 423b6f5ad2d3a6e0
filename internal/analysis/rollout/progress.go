package rollout

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Outcome is what a proxy did with a change.
type Outcome string

// Outcomes, the worst first.
const (
	Rejected     Outcome = "rejected"     // the proxy rejected a configuration
	Pending      Outcome = "pending"      // it has not answered, or it is too early to know
	NotSent      Outcome = "not_sent"     // the change concerns it, but it got no configuration
	ZoneOffline  Outcome = "zone_offline" // it has what it had, until its zone gets the change
	Disconnected Outcome = "offline"      // it gets the configuration when it connects
	Acknowledged Outcome = "acknowledged" // it accepted a configuration that was sent after the change
	Unchanged    Outcome = "unchanged"    // it got no configuration, as is expected
)

// Outcomes returns all outcomes, the worst first.
func Outcomes() []Outcome {
	return []Outcome{Rejected, Pending, NotSent, ZoneOffline, Disconnected, Acknowledged, Unchanged}
}

// Change is a change of resources, with times by the clock of the control plane.
type Change struct {
	// First and Last are when the first and the last of the resources were written.
	First, Last time.Time
	// Delay is how long after a write the control plane certainly shows how proxies
	// answered, unless they have not.
	Delay time.Duration
	// Expected are the names of the Dataplanes that must get a new configuration.
	Expected map[string]bool
}

// Reading is the state of proxies at one time, by the clock of the control plane.
type Reading struct {
	At      time.Time
	Proxies []Proxy
}

// Progress follows proxies from one reading to the next. The numbers of responses do not
// say which configuration was sent, they are shown with a delay, and changes of endpoints
// increase them as well. So a proxy counts as having a change only after the delay, and
// only if it got something other than endpoints since the first reading. If the first
// reading already shows a response after the change, that can be the change or not, and
// twice the delay is waited for if other proxies show that the control plane is late.
type Progress struct {
	change Change
	first  map[kuma.Key]Proxy // of the first reading
	late   bool               // a proxy got nothing within the delay
}

// NewProgress returns the progress of a change before the first reading.
func NewProgress(c Change) *Progress { return &Progress{change: c} }

// Result is the progress at one time: the proxies by outcome.
type Result struct {
	Proxies map[Outcome][]Proxy // in the order of the reading
	// unclear are the rejected ones that may have rejected an earlier change instead.
	unclear map[kuma.Key]bool
}

// Done reports whether no proxy can get a different outcome by waiting. Neither a proxy nor a
// zone that connects later is waited for.
func (r Result) Done() bool { return len(r.Proxies[Pending]) == 0 && len(r.Proxies[NotSent]) == 0 }

// Complete reports whether all connected proxies that the change concerns have it. Those of a
// zone that is offline may be connected to it.
func (r Result) Complete() bool {
	return r.Done() && len(r.Proxies[Rejected]) == 0 && len(r.Proxies[ZoneOffline]) == 0
}

// Read returns the progress at the time of a reading.
func (p *Progress) Read(now Reading) Result {
	if p.first == nil {
		p.first = map[kuma.Key]Proxy{}
		for _, proxy := range now.Proxies {
			p.first[proxy.Key()] = proxy
		}
	}
	waited := now.At.Sub(p.change.Last)
	outcomes := make([]Outcome, len(now.Proxies))
	for i, proxy := range now.Proxies {
		outcomes[i] = p.outcome(proxy, waited >= p.change.Delay)
	}
	p.late = p.late || slices.Contains(outcomes, NotSent)
	r := Result{Proxies: map[Outcome][]Proxy{}, unclear: map[kuma.Key]bool{}}
	for i, proxy := range now.Proxies {
		o := outcomes[i]
		if o == Acknowledged && p.late && waited < 2*p.change.Delay && !p.configured(proxy) {
			o = Pending
		}
		r.unclear[proxy.Key()] = o == Rejected && !p.rejectedSince(proxy)
		r.Proxies[o] = append(r.Proxies[o], proxy)
	}
	return r
}

func (p *Progress) outcome(proxy Proxy, conclusive bool) Outcome {
	before, known := p.before(proxy)
	n := proxy.Responses
	answered := n.Updated.After(p.change.First)
	switch {
	case proxy.ZoneOffline:
		return ZoneOffline
	case !proxy.Connected:
		return Disconnected
	case answered && p.rejectedSince(proxy):
		return Rejected
	case !conclusive || n.Total.Pending() > 0:
		return Pending
	case answered && n.Total.Rejected > before.Total.Rejected && !p.configured(proxy):
		return Rejected // one of the change, or of an earlier one: the counters do not say which
	case answered && (!known || n.configurations() > before.configurations()):
		return Acknowledged
	case proxy.Type == kuma.KindDataplane && p.change.Expected[proxy.Name]:
		return NotSent
	default:
		return Unchanged
	}
}

// configured reports whether a proxy certainly got a configuration after the change.
func (p *Progress) configured(proxy Proxy) bool {
	first, ok := p.first[proxy.Key()]
	return !ok || !first.Since.Equal(proxy.Since) || proxy.Responses.configurations() > first.Responses.configurations()
}

// rejectedSince reports whether a proxy certainly rejected a configuration after the change.
func (p *Progress) rejectedSince(proxy Proxy) bool {
	before, known := p.before(proxy)
	if first, ok := p.first[proxy.Key()]; !known && ok && first.Since.Equal(proxy.Since) {
		before, known = first.Responses, true
	}
	return known && proxy.Responses.Total.Rejected > before.Total.Rejected
}

// before returns the responses before the change. They are not known if the control
// plane showed later ones at the first reading; then all of them may be later.
func (p *Progress) before(proxy Proxy) (r Responses, known bool) {
	if !proxy.Since.Before(p.change.First) {
		return r, true // it connected after the change
	}
	first, ok := p.first[proxy.Key()]
	if !ok || !first.Since.Equal(proxy.Since) || first.Responses.Updated.After(p.change.First) {
		return r, false
	}
	return first.Responses, true
}

// configurations is the number of responses with clusters, listeners or routes.
func (r Responses) configurations() int64 {
	return r.Types["cds"].Sent + r.Types["lds"].Sent + r.Types["rds"].Sent
}

// Follow reads until the outcome of a change is final, pause returns false, or, if it
// must, a proxy rejects a configuration. The error comes from read or from ctx.
func (p *Progress) Follow(ctx context.Context, stopAtRejection bool, read func(context.Context) (Reading, error),
	pause func(context.Context, Result) bool,
) (Result, error) {
	for {
		now, err := read(ctx)
		if err != nil {
			return Result{}, err
		}
		r := p.Read(now)
		if r.Done() || stopAtRejection && len(r.Proxies[Rejected]) > 0 || !pause(ctx, r) {
			return r, ctx.Err()
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
	}
}

// Names returns the names of the proxies with an outcome, sorted.
func (r Result) Names(o Outcome) []string {
	names := phrase.Each(r.Proxies[o], Proxy.label)
	slices.Sort(names)
	return names
}

// headings describe the outcomes that a summary lists.
var headings = map[Outcome]string{
	Rejected: "Rejected the configuration, and keep the one that they had; the reason is in the log of the control plane",
	Pending:  "Have not acknowledged it yet",
	NotSent: "Should have got a configuration, but got none: " +
		"either the change does not affect their Envoy configuration, or the control plane cannot generate it, and its log says why",
	ZoneOffline: "Keep the configuration that they had, because their zone is not connected to the global control plane; they get it " +
		"when the zone connects",
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
		of := Result{Proxies: map[Outcome][]Proxy{o: slices.DeleteFunc(slices.Clone(r.Proxies[o]),
			func(p Proxy) bool { return r.unclear[p.Key()] != unclear })}}
		if names := of.Names(o); len(names) > 0 {
			fmt.Fprintf(&b, "%s: %s.\n", heading, phrase.Some(names, mostNames, ""))
		}
	}
	for _, o := range Outcomes() {
		if heading, listed := headings[o]; listed {
			list(heading, o, false)
		}
	}
	list("Rejected a configuration since they connected, of this change or of an earlier one; the log of the control plane says which",
		Rejected, true)
	return b.String()
}

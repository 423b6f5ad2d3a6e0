package request

import (
	"cmp"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Protection are the limits and faults of the traffic to a proxy.
type Protection struct {
	Requests, Connections *Rate // nil: no limit
	Faults                []Fault
}

// Rate is how many requests or connections a proxy accepts in an interval.
type Rate struct {
	Number   int
	Interval time.Duration
	Status   int // of the response to further requests; zero for connections
	By       kuma.Key
}

// Fault is what a proxy does to a share of the requests: one of its forms is set.
type Fault struct {
	Share     *big.Rat
	Status    int // of the response, instead of forwarding the request
	Delay     time.Duration
	Bandwidth string // of the response
	By        kuma.Key
}

// tooManyRequests is the default status of the response to requests above a limit.
const tooManyRequests = 429

// protect sets the rate limits and faults of an inbound for the peer that connects.
func (s *sending) protect(p *Proxy, e proxy.Endpoint, from peer) {
	limits := s.incoming(kinds.MeshRateLimit.Name, e)
	requests := isHTTP(cmp.Or(from.protocol, ProtocolOf(e.Node)))
	if i := slices.IndexFunc(limits.Rules, from.has); i >= 0 {
		conf := leavesOf(limits.Rules[i].Explain())
		p.Connections = conf.rate("local.tcp", "connectionRate")
		if requests {
			p.Requests = conf.rate("local.http", "requestRate")
		}
	}
	breakers := s.incoming(kinds.MeshCircuitBreaker.Name, e)
	for _, r := range breakers.Rules {
		s.notConsidered(r.Entries())
	}
	if !requests {
		return
	}
	faults := s.incoming(kinds.MeshFaultInjection.Name, e)
	for _, r := range faults.Rules {
		if from.meets(r.Match) {
			p.Faults = append(p.Faults, faultsOf(r.Merge(), r.Entries)...)
		}
	}
	sent := s.sentTags()
	for _, r := range faults.From {
		isNot := func(m rules.Matcher) bool { return m.Not }
		switch byTags := len(r.Matchers) > 0; {
		case byTags && (sent == nil || len(sent) == 0 && slices.ContainsFunc(r.Matchers, isNot)):
			s.notConsidered(r.Entries())
		case sent.meets(r.Matchers):
			p.Faults = append(p.Faults, faultsOf(r.Merge(), r.Entries)...)
		}
	}
}

// sentTags are the values of each tag in the header x-kuma-tags.
type sentTags map[string][]string

// sentTags returns the tags that the proxy of the client adds to requests: the tags of all its
// inbounds, or none if it handles the traffic as TCP. The result is nil if the tags are not known: for
// a client without a Dataplane, and for a gateway.
func (s *sending) sentTags() sentTags {
	r := s.proxy()
	if r == nil || tree.Root(r.Body).Get("networking", "gateway").Known() {
		return nil
	}
	tags := sentTags{}
	if !s.isHTTP() {
		return tags
	}
	for _, in := range tree.Root(r.Body).Get("networking", "inbound").Items() {
		for key, value := range tree.StringMap(in.Get("tags").Value()) {
			tags[key] = append(tags[key], value)
		}
	}
	return tags
}

// meets reports whether the tags meet the matchers of a rule. A value also meets a matcher whose value is
// its suffix (proxies.md §3).
func (t sentTags) meets(matchers []rules.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(m rules.Matcher) bool {
		return m.Not == slices.ContainsFunc(t[m.Key], func(v string) bool { return m.Value == "*" || strings.HasSuffix(v, m.Value) })
	})
}

// rate returns a rate, nil if there is none or it is disabled.
func (l leaves) rate(of, field string) *Rate {
	number, limited := l[of+"."+field+".num"]
	if !limited || l[of+".disabled"].Value == true {
		return nil
	}
	rate := &Rate{Number: l.int(of+"."+field+".num", 0), By: number.SetBy.ResourceMeta.Key()}
	rate.Interval = l.timeout(of+"."+field+".interval", nil).Duration
	if field == "requestRate" {
		rate.Status = l.int(of+".onRateLimit.status", tooManyRequests)
	}
	return rate
}

// faultsOf returns the faults of a conf.
func faultsOf(conf any, entries func() iter.Seq[rules.Entry]) []Fault {
	var by kuma.Key
	for e := range entries() {
		by = e.Policy
	}
	var faults []Fault
	for _, n := range tree.Root(conf).Get("http").Items() {
		for _, form := range []string{"abort", "delay", "responseBandwidth"} {
			fault := n.Get(form)
			share, ok := new(big.Rat).SetString(text(fault.Get("percentage")))
			if !ok {
				continue
			}
			status, _ := fault.Get("httpStatus").Int()
			delay, _ := time.ParseDuration(text(fault.Get("value")))
			faults = append(faults, Fault{share.Quo(share, big.NewRat(percent, 1)), int(status), delay, text(fault.Get("limit")), by})
		}
	}
	return faults
}

// String describes the rate.
func (r Rate) String() string {
	rate := fmt.Sprintf("%d in %s", r.Number, r.Interval)
	if r.Status != 0 {
		rate += fmt.Sprintf(", then %d", r.Status)
	}
	return rate + fmt.Sprintf(" (%s)", r.By.Local())
}

// String describes the fault.
func (f Fault) String() string {
	what := "with " + f.Bandwidth
	switch {
	case f.Status != 0:
		what = fmt.Sprintf("answered with %d", f.Status)
	case f.Delay != 0:
		what = fmt.Sprintf("delayed by %s", f.Delay)
	}
	return fmt.Sprintf("%s %s (%s)", percentText(f.Share), what, f.By.Local())
}

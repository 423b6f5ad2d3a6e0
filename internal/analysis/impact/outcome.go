package impact

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Outcome is what happens to a share of the requests.
type Outcome struct {
	Target   string // the name of a service, or the status and location of a response
	Answered bool   // by the proxy of the client
	Share    *big.Rat

	unseen bool // only proxies of other zones, which are not known, can provide the target
}

// comparesVerdicts reports whether the verdicts of backends are outcomes: all are known, and some backends are selected by
// tags, whose proxies can decide differently than those of a service, which access is about.
func comparesVerdicts(backends []request.Backend) bool {
	return slices.ContainsFunc(backends, func(b request.Backend) bool { return b.Tags != nil }) &&
		!slices.ContainsFunc(backends, func(b request.Backend) bool { return b.Verdict == request.Unknown })
}

// canBeEqual reports whether requests that may have no proxy to go to are compared with some that fail.
func canBeEqual(a, b []Outcome) bool {
	return slices.ContainsFunc(a, func(o Outcome) bool { return o.unseen }) &&
		slices.ContainsFunc(b, func(o Outcome) bool { return o.Answered })
}

// outcomesOf returns the outcomes of a request for a port, nil if they are not known or if the proxy has no outbound to the
// service: with verdicts, also whether the proxies of the backends accept it.
func (s *snapshot) outcomesOf(answer request.Answer, r request.Request, to rules.Port, verdicts bool) []Outcome {
	whole := func(target string) []Outcome { return []Outcome{{target, true, big.NewRat(1, 1), false}} }
	switch {
	case answer.Verdict == request.Redirected:
		return whole(fmt.Sprintf("%d to %s", answer.Redirect.Status, answer.Redirect.Location))
	case answer.Verdict == request.NoRoute:
		return whole("404")
	case answer.Backends == nil && answer.Verdict == request.NoHealthy:
		return whole("503")
	case answer.Verdict == request.Unreachable && (to.Resource.Type == kuma.KindMeshGateway || answer.Destination != rules.Port{}):
		return []Outcome{{"no listener", false, big.NewRat(1, 1), false}}
	}
	var out []Outcome
	for _, b := range answer.Backends {
		target := b.Name
		switch b.Verdict {
		case request.Failed:
			target = "500"
		case request.NoHealthy:
			target = "503 of " + b.Name
		default:
			if answer.Forwarded.Path != cmp.Or(r.Path, "/") {
				target += " as " + answer.Forwarded.Path
			}
			if verdicts && b.Verdict != request.Allowed {
				target += " (" + b.Verdict.Words() + ")"
			}
		}
		unseen := b.Verdict == request.Unknown && b.Tags != nil && s.proxies.OtherZones() && !s.proxies.Provides(b.Tags)
		out = addOutcome(out, Outcome{target, b.Verdict == request.Failed || b.Verdict == request.NoHealthy, b.Share, unseen})
	}
	return out
}

// addOutcome adds a share. If there is a share of the same target, it adds to it.
func addOutcome(all []Outcome, o Outcome) []Outcome {
	for i := range all {
		if all[i].Target == o.Target {
			all[i].Share = new(big.Rat).Add(all[i].Share, o.Share)
			return all
		}
	}
	return append(all, o)
}

func shareOf(all []Outcome, target string) *big.Rat {
	for _, o := range all {
		if o.Target == target {
			return o.Share
		}
	}
	return new(big.Rat)
}

// DescribeOutcomes describes what happens to requests, such as "stable 90%, canary 10%": only
// the target if it is one.
func DescribeOutcomes(all []Outcome) string {
	if len(all) == 1 {
		return all[0].Target
	}
	return strings.Join(phrase.Each(all, func(o Outcome) string { return o.named() + " " + percent(o.Share) }), ", ")
}

// named returns the target as one of several, before its share.
func (o Outcome) named() string {
	if o.Answered {
		return "status " + o.Target
	}
	return o.Target
}

func percent(share *big.Rat) string {
	const hundred, digits = 100, 4
	f, _ := new(big.Rat).Mul(share, big.NewRat(hundred, 1)).Float64()
	return strconv.FormatFloat(f, 'g', digits, 64) + "%"
}

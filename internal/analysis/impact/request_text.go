package impact

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// maxChangedRequests is how many sentences about requests a summary has, and how many requests
// each names.
const maxChangedRequests, maxPaths = 10, 4

// writeRequests writes what happens to requests that go elsewhere.
func (i Impact) writeRequests(b *strings.Builder) {
	for n, c := range i.RequestsChanged {
		if n == 0 {
			b.WriteString("\n")
		}
		if n == maxChangedRequests {
			fmt.Fprintf(b, "%s\n", phrase.More(len(i.RequestsChanged)-n, "changes of requests"))
			break
		}
		fmt.Fprintf(b, "%s, for %s\n", c, phrase.Some(c.Clients, maxNames, "dataplanes"))
	}
	if i.RequestsNotCompared > 0 {
		fmt.Fprintf(b, "\n%s not compared: the change concerns too many routes.\n", phrase.Count(i.RequestsNotCompared, "other request was", "other requests were"))
	}
}

// String describes the change as a clause, such as "GET /v2 on checkout port 80 answers 404,
// before: checkout".
func (c RequestChange) String() string {
	subject := fmt.Sprintf("%s on %s port %d", phrase.Some(c.Requests, maxPaths, "requests"), c.Port.Resource.Name, c.Port.Number)
	switch {
	case len(c.After) == 1 && c.After[0].Answered && len(c.Requests) == 1:
		return fmt.Sprintf("%s answers %s, before: %s", subject, c.After[0].Target, DescribeOutcomes(c.Before))
	case len(c.After) == 1 && c.After[0].Answered:
		return fmt.Sprintf("%s answer %s, before: %s", subject, c.After[0].Target, DescribeOutcomes(c.Before))
	case len(c.Before) == 1 && len(c.After) == 1:
		return fmt.Sprintf("%s: %s → %s", subject, c.Before[0].Target, c.After[0].Target)
	}
	targets := slices.Clone(c.Before)
	for _, o := range c.After {
		if shareOf(c.Before, o.Target).Sign() == 0 {
			targets = append(targets, o)
		}
	}
	var parts []string
	for _, o := range targets {
		before, after := percent(shareOf(c.Before, o.Target)), percent(shareOf(c.After, o.Target))
		if before != after {
			parts = append(parts, fmt.Sprintf("%s %s → %s", o.Target, before, after))
		}
	}
	return subject + ": " + strings.Join(parts, ", ")
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
	return strings.Join(phrase.Each(all, func(o Outcome) string { return o.Target + " " + percent(o.Share) }), ", ")
}

func percent(share *big.Rat) string {
	const hundred, digits = 100, 4
	f, _ := new(big.Rat).Mul(share, big.NewRat(hundred, 1)).Float64()
	return strconv.FormatFloat(f, 'g', digits, 64) + "%"
}

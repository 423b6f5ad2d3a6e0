package proxy

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// listIndex finds the first element of a list that matches a client, without comparing the client with
// each element.
type listIndex struct {
	list     []rules.ListedClients
	exact    map[string][]int // positions by SPIFFE ID, ascending
	prefixes map[int]map[string][]int
	any      []int // positions of elements without a SPIFFE ID
}

func (x *listIndex) add(c rules.ListedClients) {
	position := len(x.list)
	x.list = append(x.list, c)
	switch {
	case c.ID == "":
		x.any = append(x.any, position)
	case c.Prefix:
		if x.prefixes == nil {
			x.prefixes = map[int]map[string][]int{}
		}
		if x.prefixes[len(c.ID)] == nil {
			x.prefixes[len(c.ID)] = map[string][]int{}
		}
		x.prefixes[len(c.ID)][c.ID] = append(x.prefixes[len(c.ID)][c.ID], position)
	default:
		if x.exact == nil {
			x.exact = map[string][]int{}
		}
		x.exact[c.ID] = append(x.exact[c.ID], position)
	}
}

// first returns the first element that matches a client that asks for a server name, nil if
// none does.
func (x *listIndex) first(c Client, serverName string) *rules.ListedClients {
	best := len(x.list)
	try := func(positions []int) {
		for _, i := range positions {
			if i < best && (x.list[i].ServerName == "" || x.list[i].ServerName == serverName) {
				best = i
			}
		}
	}
	try(x.any)
	try(x.exact[c.text])
	for length, ids := range x.prefixes {
		if length <= len(c.text) {
			try(ids[c.text[:length]])
		}
	}
	if best == len(x.list) {
		return nil
	}
	return &x.list[best]
}

// tagIndex finds the rules by tags that can apply to a client.
type tagIndex struct {
	rules  []tagRule
	byName map[string][]int // rules that require a name in the certificate
	others []int
}

// tagRule is a rule by tags, with its conditions as names in a certificate.
type tagRule struct {
	has, hasNot []string
	action      string
	by          rules.Entry
}

func (x *tagIndex) add(r tagRule) {
	position := len(x.rules)
	x.rules = append(x.rules, r)
	if len(r.has) == 0 {
		x.others = append(x.others, position)
		return
	}
	if x.byName == nil {
		x.byName = map[string][]int{}
	}
	x.byName[r.has[0]] = append(x.byName[r.has[0]], position)
}

// meeting returns the rules that apply to a client, in their order.
func (x *tagIndex) meeting(c Client) []tagRule {
	positions := slices.Clone(x.others)
	for _, name := range c.Names {
		positions = append(positions, x.byName[name]...)
	}
	slices.Sort(positions)
	var out []tagRule
	for _, i := range positions {
		if r := x.rules[i]; r.meets(c) {
			out = append(out, r)
		}
	}
	return out
}

// meets reports whether the certificate of a client has the names that a rule requires. Only
// certificates of the mesh have names for tags.
func (r tagRule) meets(c Client) bool {
	has := func(name string) bool { return slices.Contains(c.Names, name) }
	return !slices.ContainsFunc(r.has, func(name string) bool { return !has(name) }) && !slices.ContainsFunc(r.hasNot, has)
}

// describe returns what an element of a list matches: "spiffe://shop/web*".
func describe(c rules.ListedClients) string {
	var parts []string
	if c.ID != "" {
		id := c.ID
		if c.Prefix {
			id += "*"
		}
		parts = append(parts, id)
	}
	if c.ServerName != "" {
		parts = append(parts, "SNI "+c.ServerName)
	}
	return strings.Join(parts, " with ")
}

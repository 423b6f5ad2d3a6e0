package impact

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// difference adds the changes between the settings of the two sides for the
// destination of c. They are computed once for all dataplanes with the same
// settings.
func (d *ruleComparison) difference(c Change, before, after *settings) {
	if before == nil && after == nil || before.same(after) {
		return
	}
	key, known := keyOf(d.kind.Name, c, before, after)
	if !known {
		d.compareSettings(c, before, after)
		return
	}
	found := d.of.settings.get(key, func() *result {
		others := d.result
		defer func() { d.result = others }()
		d.result = result{causes: map[kuma.Key]bool{}}
		if d.compareSettings(c, before, after); len(d.changes)+len(d.causes) == 0 {
			return nil // as for most settings
		}
		return &result{d.changes, d.causes}
	})
	if found != nil {
		d.changes = append(d.changes, found.changes...)
		maps.Copy(d.causes, found.causes)
	}
}

// settingsKey is a hash of everything that the changes between two settings depend
// on.
type settingsKey [sha256.Size]byte

// keyOf returns the key of two settings. One of them may be nil. It returns false
// if the input of the settings is unknown.
func keyOf(policyType string, c Change, before, after *settings) (settingsKey, bool) {
	var room [512]byte // avoids an allocation for most keys
	text := room[:0]
	implied := strconv.FormatBool(c.target.implied)
	for _, part := range []string{policyType, string(c.Direction), c.Destination, c.about, c.target.protocol, implied, c.target.renamed} {
		text = append(append(text, part...), 0)
	}
	for _, s := range []*settings{before, after} {
		var input rules.Input
		if s != nil {
			if input = s.input; input == (rules.Input{}) {
				return settingsKey{}, false
			}
		}
		text = append(text, input[:]...)
		if service := s.ofService(); service != nil {
			text = append(text, service.input[:]...)
		}
	}
	return sha256.Sum256(text), true
}

// compareSettings compares two settings for difference.
func (d *ruleComparison) compareSettings(c Change, before, after *settings) {
	var confs [2][]any
	for i, s := range []*settings{before, after} {
		if s != nil {
			confs[i] = s.confs()
		} else if d.lists.keyed != "" {
			confs[i] = []any{map[string]any{d.lists.keyed: []any{}}}
		}
	}
	service, other := before.ofService(), after.ofService()
	if len(confs[0])*len(confs[1]) > 0 && (service == nil && other == nil || service.same(other)) &&
		slices.EqualFunc(confs[0], confs[1], func(was, is any) bool {
			return tree.Equal(d.withoutRest(was), d.withoutRest(is))
		}) {
		return
	}
	b, a := d.lists.flatten(before, confs[0]), d.lists.flatten(after, confs[1])
	d.inherit(b, before)
	d.inherit(a, after)
	d.before.dropAbsent(b, c.target.listener)
	d.after.dropAbsent(a, c.target.listener)
	paths := map[string]string{}
	for _, side := range []flatConf{b, a} {
		for key, v := range side.values {
			paths[key] = v.path
		}
	}
	for key, path := range paths {
		was, inBefore := b.values[key]
		is, inAfter := a.values[key]
		switch {
		case inBefore && inAfter && d.sameValue(was, is),
			!inBefore && (d.isImplied(c, is, d.after, d.before, b) || d.isUndecided(path, is.Value, confs[0], confs[1])),
			!inAfter && (d.isImplied(c, was, d.before, d.after, a) || d.isUndecided(path, was.Value, confs[1], confs[0])):
			continue
		}
		c.Path, c.Before, c.After, c.Cause = cmp.Or(path, pathConf), nil, nil, CauseSettings
		switch d.kind.Name {
		case kinds.MeshHealthCheck.Name, kinds.MeshRetry.Name, kinds.MeshRateLimit.Name, kinds.MeshCircuitBreaker.Name,
			kinds.MeshLoadBalancingStrategy.Name, kinds.MeshTrace.Name:
			for i, of := range confs {
				if len(of) > 0 {
					c.target.confs[i] = tree.Root(of[0])
				}
			}
		}
		if inAfter {
			c.After = d.value(&c, is)
		} else {
			d.blame(after)
		}
		if inBefore {
			c.Before = d.value(&c, was)
		} else {
			d.blame(before)
		}
		if inBefore && inAfter && d.swapped(before, after, was.SetBy, is.SetBy) {
			c.Cause = CauseOrder
		}
		d.add(c)
	}
	if !d.kind.Policy.Permission {
		d.orders(c, before, after, b, a)
	}
}

// sameValue reports whether values of a field before and after the change mean the same.
func (d *ruleComparison) sameValue(before, after flatValue) bool {
	was, is := d.before.meaning(before.Setting), d.after.meaning(after.Setting)
	if tree.Equal(was, is) {
		return true
	}
	_, _, field := d.kind.Words(before.conf, before.Path)
	return tree.Equal(canonical(field, was), canonical(field, is))
}

// canonical returns a value of a field in the form that all values with the same meaning have: a number can be text, 5.0 is the percentage
// 5, and false and an empty list in an element of a list are the same as nothing (measured on 2.14.3).
func canonical(of def.Field, value any) any {
	return tree.Map([]any{value}, func(step, v any) (any, bool) {
		_, inObject := step.(string)
		if n, ok := v.(json.Number); ok {
			v = n.String()
		}
		if text, ok := v.(string); ok && (of.Type == def.IntOrString || step == "percentage") {
			if f, err := strconv.ParseFloat(text, 64); err == nil {
				v = f
			}
		}
		return v, !inObject || v != any(false) && !isEmptyList(v)
	})
}

func isEmptyList(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

// inherit adds the values of a service that an entry for a route does not replace (matching.md §17.4).
func (d *ruleComparison) inherit(route flatConf, s *settings) {
	service := s.ofService()
	if service == nil || d.kind.Policy.PerRoute == nil {
		return
	}
	inherited := map[string]flatValue{}
	for key, v := range d.lists.flatten(service, service.confs()).values {
		replaced := d.kind.Policy.ReplacedOnRoute(v.path, route.hasBelow)
		if _, own := route.values[key]; !own && !replaced && d.kind.Policy.OnRoute(v.Path) {
			inherited[key] = v
		}
	}
	maps.Copy(route.values, inherited)
}

// value returns a value as one side of a change, whose place it sets. The policy that sets it is a cause.
func (d *ruleComparison) value(of *Change, v flatValue) *Value {
	of.place, of.target.path = d.lists.place(v), v.Path
	d.causes[v.SetBy.ResourceMeta.Key()] = true
	return &Value{phrase.JSON(v.Value), entryOf(v.SetBy)}
}

// isImplied reports whether a value that only one side has says nothing beyond the conf of the other side: it is of a rule that only
// matches the rest of the requests, or sends them where they go anyway, as without a route, a route without rules, or the other side has
// values below it.
func (d *ruleComparison) isImplied(c Change, v flatValue, own, other effectiveRules, conf flatConf) bool {
	isEmpty := tree.IsEmptyObject(v.Value)
	return d.sendsRest(other, conf) && (d.isOfRest(v) || d.isRestItself(own.snapshot, c.target.section, v)) ||
		isEmpty && (conf.hasBelow(v.path) || len(v.Path) == 0 && rules.IsRoute(d.kind.Name) && own.sendsRest() && other.sendsRest())
}

// sendsRest reports whether the proxy sends requests that no other rule of a conf matches to the destination: without a route, by
// a rule for them, or always, see [effectiveRules.sendsRest]. The configuration is then the same (measured on both releases).
func (d *ruleComparison) sendsRest(e effectiveRules, conf flatConf) bool {
	return e.sendsRest() || len(e.listeners) == 0 &&
		(len(conf.values) == 0 || slices.ContainsFunc(slices.Collect(maps.Values(conf.values)), d.isOfRest))
}

var anyPath = map[string]any{"path": map[string]any{"type": "PathPrefix", "value": "/"}}

// isRest reports whether a rule of a route only matches the rest of the requests.
func isRest(rule any) bool {
	return matchesAll(rule) && tree.IsEmptyObject(tree.Object(rule)["default"])
}

func matchesAll(rule any) bool {
	matches := tree.List(tree.Object(rule)[def.MatchesField])
	return len(matches) == 1 && (tree.IsEmptyObject(matches[0]) || tree.Equal(matches[0], anyPath))
}

// sendsRest reports whether the proxy sends requests that no rule of a route matches to the destination, as proxies of Kuma 2 other
// than builtin gateways do (release3.md §6): which route takes them is a change of requests.
func (e effectiveRules) sendsRest() bool { return !e.Release().Kuma3() && len(e.listeners) == 0 }

// isOfRest reports whether a value is of a rule that only matches the rest of the requests.
func (d *ruleComparison) isOfRest(v flatValue) bool {
	return len(v.Path) > 1 && v.Path[0] == d.lists.keyed && isRest(tree.At(v.conf, v.Path[:2]))
}

// isRestItself reports whether a value is the backends of a rule for all requests, which all go to the same port of the destination.
func (d *ruleComparison) isRestItself(of *snapshot, to section, v flatValue) bool {
	if !strings.HasSuffix(v.path, ".default."+backendRefs) || !matchesAll(tree.At(v.conf, v.Path[:2])) {
		return false
	}
	list := tree.Objects(of.meaning(v.Setting))
	return len(list) == 1 && list[0]["weight"] == nil && list[0]["kri"] == kinds.KRI(to.id) &&
		!slices.ContainsFunc(of.Ports(to.id), func(p rules.Port) bool {
			return (to.name == "" || p.Section == to.name) && p.Number != list[0]["port"]
		})
}

// withoutRest returns a conf without rules that only match the rest of the requests, unless the proxy needs them.
func (d *ruleComparison) withoutRest(conf any) any {
	list, keyed := tree.Object(conf)[d.lists.keyed].([]any)
	if !keyed || !d.after.sendsRest() {
		return conf
	}
	conf = maps.Clone(tree.Object(conf))
	tree.Object(conf)[d.lists.keyed] = slices.DeleteFunc(slices.Clone(list), isRest)
	return conf
}

// isUndecided reports whether an element of a list of clients, which only one side has, decides about no
// client: the list of the other side contains these clients, too, or they are denied and no side allows any
// of them.
func (d *ruleComparison) isUndecided(path string, client any, others, own []any) bool {
	list, isElement := strings.CutSuffix(path, "[]")
	if !d.kind.Policy.Permission || !isElement || len(others) == 0 {
		return false
	}
	of := func(confs []any, list string) []any { return tree.List(tree.Object(confs[0])[list]) }
	if slices.ContainsFunc(of(others, list), func(o any) bool { return rules.Covers(o, client) }) {
		return true
	}
	id := func(match any) any { return map[string]any{"spiffeID": tree.Object(match)["spiffeID"]} }
	var allowed []any
	for _, confs := range [][]any{others, own} {
		allowed = slices.Concat(allowed, of(confs, rules.AllowList), of(confs, rules.ShadowDenyList))
	}
	return list == rules.DenyList && !slices.ContainsFunc(allowed, func(o any) bool {
		return rules.Covers(id(o), id(client)) || rules.Covers(id(client), id(o))
	})
}

// swapped reports whether the order of two unchanged policies is reversed: the
// entry that overrides the other one before the change is overridden by it
// afterwards.
func (d *ruleComparison) swapped(before, after *settings, was, is rules.Origin) bool {
	if d.of.changed[was.ResourceMeta.Key()] || d.of.changed[is.ResourceMeta.Key()] {
		return false
	}
	ranks := func(s *settings) (of [2]int, all bool) {
		var found [2]bool
		of[0], found[0] = s.rank(was)
		of[1], found[1] = s.rank(is)
		return of, found[0] && found[1]
	}
	b, inBefore := ranks(before)
	a, inAfter := ranks(after)
	return inBefore && inAfter && b[0] > b[1] && a[0] < a[1]
}

// blame records the policies behind a rule that omits a value. No policy sets the value, but an
// entry of one of these policies removed it or created the rule.
func (d *ruleComparison) blame(s *settings) {
	if s == nil || !d.of.asksForCauses {
		return
	}
	for e := range s.entries {
		d.causes[e.Policy] = true
	}
}

// orders adds a change for each list in which the common elements of both sides are
// in a different order.
func (d *ruleComparison) orders(c Change, before, after *settings, was, is flatConf) {
	c.target.path = nil
	for path, b := range was.lists {
		a, ok := is.lists[path]
		if !ok {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(b.keys), func(k string) bool { _, ok := a.setters[k]; return !ok })
		now := slices.DeleteFunc(slices.Clone(a.keys), func(k string) bool { _, ok := b.setters[k]; return !ok })
		for i := range kept {
			if kept[i] == now[i] {
				continue
			}
			if path == d.lists.keyed && !c.target.listener && !reorders(kept, now) {
				break
			}
			wasBy, isBy := b.setters[kept[i]], a.setters[now[i]]
			d.causes[wasBy.ResourceMeta.Key()], d.causes[isBy.ResourceMeta.Key()] = true, true
			c.Path, c.place, c.Before, c.After, c.Cause = path, place{text: phrase.CodeSpan(path)}, &Value{
				phrase.JSON(b.value),
				entryOf(wasBy),
			}, &Value{phrase.JSON(a.value), entryOf(isBy)}, CauseSettings
			if d.swapped(after, before, wasBy, isBy) { // the first element has the lowest precedence
				c.Cause = CauseOrder
			}
			d.add(c)
			break
		}
	}
}

func (d *ruleComparison) add(c Change) {
	c.Type = d.kind.Name
	d.changes = append(d.changes, &c)
}

func entryOf(o rules.Origin) Source {
	m := o.ResourceMeta
	return Source{Type: m.Type, Name: m.Name, KRI: kinds.KRI(m.ID()), Index: o.RuleIndex}
}

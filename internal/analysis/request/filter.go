package request

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// found is the status of a redirect that does not set one.
const found = 302

// Types of filters.
const (
	redirectFilter = "RequestRedirect"
	rewriteFilter  = "URLRewrite"
	mirrorFilter   = "RequestMirror"
)

// filter applies the filters of a rule, and returns the request that is forwarded.
func (s *sending) filter(t taken) Forwarded {
	f := Forwarded{Host: s.Host, Path: s.Path, Headers: maps.Clone(s.Headers)}
	for _, n := range t.conf.Get("filters").Items() {
		switch kind, _ := n.Get("type").Text(); kind {
		case "RequestHeaderModifier":
			changes := headerChanges(n.Get("requestHeaderModifier"))
			f.Headers = changed(f.Headers, changes)
			s.Filters = append(s.Filters, "request headers: "+describeChanges(changes))
		case "ResponseHeaderModifier":
			changes := headerChanges(n.Get("responseHeaderModifier"))
			f.ResponseHeaders = append(f.ResponseHeaders, changes...)
			s.Filters = append(s.Filters, "response headers: "+describeChanges(changes))
		case rewriteFilter:
			rewrite := n.Get("urlRewrite")
			host, _ := rewrite.Get("hostname").Text()
			if t.twin && rewrite.Get("path", "replacePrefixMatch").Known() {
				host = "" // a gateway loses it
			}
			f.Host, f.Path = cmp.Or(host, f.Host), t.rewritten(rewrite.Get("path"), f.Path)
			s.Filters = append(s.Filters, fmt.Sprintf("rewrite to %s%s", f.Host, f.Path))
		case redirectFilter:
			if t.gateway != nil && t.conf.Get("backendRefs").Filled() {
				continue // it has no effect beside backends there (matching.md §18.3)
			}
			s.Redirect = t.redirect(n.Get("requestRedirect"), s.Request)
			s.Filters = append(s.Filters, fmt.Sprintf("redirect %d to %s", s.Redirect.Status, s.Redirect.Location))
		case mirrorFilter:
			s.mirror(n.Get("requestMirror"), t)
		}
	}
	for _, ref := range t.conf.Get("backendRefs").Items() {
		for _, n := range ref.Get("filters").Items() {
			s.Filters = append(s.Filters, fmt.Sprintf("request headers for %s: %s", rules.ParseBackendRef(ref),
				describeChanges(headerChanges(n.Get("requestHeaderModifier")))))
		}
	}
	return f
}

func (s *sending) mirror(n tree.Node, t taken) {
	m := Mirror{Share: big.NewRat(1, 1)}
	if share, ok := new(big.Rat).SetString(text(n.Get("percentage"))); ok {
		m.Share = share.Quo(share, big.NewRat(percent, 1))
	}
	ref := rules.ParseBackendRef(n.Get("backendRef"))
	m.Name = ref.String()
	if m.Tags = s.mirrorTags(ref); m.Tags != nil {
		m.Port, m.Name = s.portOf(m.Tags), nameOf(m.Tags)
	} else if route := s.snapshot.Resource(t.Policy); route != nil {
		if _, m.Port = s.snapshot.Backend(*route, ref); m.Port.Number != 0 {
			m.Name = m.Port.Resource.Name
		}
	}
	anyTag := s.Listener != nil && m.Tags != nil // a gateway mirrors to every tag (matching.md §18.3)
	if !anyTag && (!isHTTP(m.Port.Protocol) || ref.Weight == 0) {
		s.Filters = append(s.Filters, fmt.Sprintf("no mirror to %s, which is not HTTP, does not exist or has no weight", m.Name))
		return
	}
	s.Mirrors = append(s.Mirrors, m)
	s.Filters = append(s.Filters, fmt.Sprintf("mirror %s to %s", percentText(m.Share), m.Name))
}

// text returns a string or number as text.
func text(n tree.Node) string {
	if n.Value() == nil {
		return ""
	}
	return fmt.Sprint(n.Value())
}

// rewritten returns the new path. The proxy matches a prefix /a as the path /a or as the
// prefix /a/, and replaces the matched part. An empty replacement has no effect
// (matching.md §17.3).
func (t taken) rewritten(to tree.Node, path string) string {
	if full, ok := to.Get("replaceFullPath").Text(); ok {
		return full
	}
	replacement, has := to.Get("replacePrefixMatch").Text()
	if t.gateway != nil && has {
		return t.rewrittenByGateway(replacement, path)
	}
	if replacement == "" {
		return path
	}
	rest, below := strings.CutPrefix(path, strings.TrimSuffix(t.path, "/")+"/")
	if !below {
		return replacement
	}
	return replacement + rest
}

// redirect returns the response of a redirect. It keeps the parts of the URL that the filter does not set.
func (t taken) redirect(n tree.Node, r Request) *Redirect {
	status, ok := n.Get("statusCode").Int()
	if !ok {
		status = found
	}
	host := cmp.Or(text(n.Get("hostname")), r.Host)
	port := text(n.Get("port"))
	if t.gateway != nil {
		port = cmp.Or(port, strconv.Itoa(t.gateway.Port))
	}
	if port != "" {
		host = net.JoinHostPort(host, port)
	}
	return &Redirect{int(status), cmp.Or(text(n.Get("scheme")), "http") + "://" + host + t.rewritten(n.Get("path"), r.Path)}
}

// headerChanges returns the changes in the order in which proxies apply them.
func headerChanges(n tree.Node) []HeaderChange {
	of := func(action string) []HeaderChange {
		return phrase.Each(n.Get(action).Items(), func(h tree.Node) HeaderChange {
			return HeaderChange{action, text(h.Get("name")), text(h.Get("value"))}
		})
	}
	remove := func(name string) HeaderChange { return HeaderChange{Action: "remove", Name: name} }
	return slices.Concat(phrase.Each(tree.Strings(n.Get("remove").Value()), remove), of("set"), of("add"))
}

func describeChanges(changes []HeaderChange) string {
	var parts []string
	for _, c := range changes {
		part := c.Action + " " + c.Name
		if c.Value != "" {
			part += "=" + c.Value
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// changed applies changes to headers, by their names in any case.
func changed(headers map[string]string, changes []HeaderChange) map[string]string {
	headers = maps.Clone(headers)
	if headers == nil {
		headers = map[string]string{}
	}
	for _, c := range changes {
		before, had := Request{Headers: headers}.header(c.Name)
		maps.DeleteFunc(headers, func(name, _ string) bool { return strings.EqualFold(name, c.Name) })
		switch {
		case c.Action == "set", c.Action == "add" && !had:
			headers[c.Name] = c.Value
		case c.Action == "add":
			headers[c.Name] = before + "," + c.Value
		}
	}
	return headers
}

// percentText returns a share in percent.
func percentText(share *big.Rat) string {
	f, _ := new(big.Rat).Mul(share, big.NewRat(percent, 1)).Float64()
	return strconv.FormatFloat(f, 'g', 5, 64) + "%"
}

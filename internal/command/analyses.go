package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func runImpact(_ context.Context, _ string, arguments []string, s streams) (int, error) {
	o := newOptions("impact", "BEFORE AFTER", s)
	exitCode := o.Bool("exit-code", false, "exit with 1 if the change affects a proxy")
	paths, err := o.parse(arguments, 2)
	if err != nil {
		return 0, err
	}
	before, err := s.read(paths[0])
	if err != nil {
		return 0, err
	}
	after, err := s.read(paths[1])
	if err != nil {
		return 0, err
	}
	mesh, err := o.meshOf(after, before) // a change may rename the mesh
	if err != nil {
		return 0, err
	}
	was, err := before.ofKinds(rules.Kinds())
	if err != nil {
		return 0, err
	}
	is, err := after.ofKinds(rules.Kinds())
	if err != nil {
		return 0, err
	}
	first, second := input.Change(was, is, mesh, o.requested)
	second.WithShadow = o.shadow
	found, err := answer.OfImpact(first, second, nil, true)
	if errors.Is(err, rules.ErrUnknownMesh) {
		err = input.MissingMesh(mesh, was, is)
	}
	if err != nil {
		return 0, err
	}
	code := exitOK
	if *exitCode && found.Any() {
		code = exitNegative
	}
	return code, o.write(s.out, found, found.Summary)
}

// meshAt reads the mesh at a path, with resources of some kinds.
func (o *options) meshAt(path string, s streams, of []def.Kind) (mesh input.Mesh, docs *documents, err error) {
	if docs, err = s.read(path); err != nil {
		return mesh, nil, err
	}
	name, err := o.meshOf(docs)
	if err != nil {
		return mesh, nil, err
	}
	read, err := docs.ofKinds(of)
	if err != nil {
		return mesh, nil, err
	}
	mesh = read.Mesh(name, o.requested)
	mesh.WithShadow = o.shadow
	if !mesh.Exists() {
		return mesh, nil, input.MissingMesh(name, read)
	}
	return mesh, docs, nil
}

func runRequest(_ context.Context, _ string, arguments []string, s streams) (int, error) {
	o := newOptions("request", "PATH", s)
	r := request.Request{Headers: map[string]string{}, Query: map[string]string{}}
	pair := func(to map[string]string) func(string) error {
		return func(v string) error {
			key, value, ok := strings.Cut(v, "=")
			if !ok {
				return errors.New("write NAME=VALUE")
			}
			to[key] = value
			return nil
		}
	}
	o.StringVar(&r.Dataplane, "dataplane", "", "`name` of the Dataplane that sends the request; this, client-service or spiffe-id is required")
	o.StringVar(&r.ClientService, "client-service", "", "`name` of a service whose proxies send the request")
	o.StringVar(&r.SPIFFEID, "spiffe-id", "", "SPIFFE `id` of the client, to compute only what the destination allows")
	o.StringVar(&r.Service.Name, "service", "", "`name` of the service; this or host is required")
	o.StringVar(&r.Service.Host, "host", "", "`name` or address that the application calls, instead of a service")
	o.Func("port", "`port` of the service, by default the only one, or of the host", func(v string) (err error) {
		if r.Service.Port, err = strconv.Atoi(v); err != nil {
			return errors.New("must be a number")
		}
		return nil
	})
	o.StringVar(&r.Method, "method", "", "HTTP `method`")
	o.StringVar(&r.Path, "path", "", "`path` of the request")
	o.Func("header", "header of the request as `NAME=VALUE`; may be repeated", pair(r.Headers))
	o.Func("query", "query parameter of the request as `NAME=VALUE`; may be repeated", pair(r.Query))
	paths, err := o.parse(arguments, 1)
	if err != nil {
		return 0, err
	}
	for _, names := range [][]string{{"dataplane", "client-service", "spiffe-id"}, {"service", "host"}} {
		if err := o.oneOf(names...); err != nil {
			return 0, err
		}
	}
	mesh, _, err := o.meshAt(paths[0], s, request.Kinds())
	if err != nil {
		return 0, err
	}
	r.Mesh = mesh.Name
	found, err := answer.OfRequest(mesh, r)
	if err != nil {
		return 0, err
	}
	code := exitNegative
	if found.Succeeds() {
		code = exitOK
	}
	return code, o.write(s.out, found, found.Explanation)
}

// oneOf checks that exactly one of some options is set.
func (o *options) oneOf(names ...string) error {
	set := 0
	for i, name := range names {
		if o.Lookup(name).Value.String() != "" {
			set++
		}
		names[i] = "-" + name
	}
	if set == 1 {
		return nil
	}
	return o.wrong("%s needs exactly one of %s.", o.Name(), phrase.And(names...))
}

func runAccess(_ context.Context, _ string, arguments []string, s streams) (int, error) { //nolint:unparam // called like the others
	o := newOptions("access", "PATH", s)
	var f access.Filter
	o.list(&f.From, "from", "`name` of a client to include, a service or a Dataplane; may be repeated")
	o.list(&f.To, "to", "`name` of a service to include; may be repeated")
	paths, err := o.parse(arguments, 1)
	if err != nil {
		return 0, err
	}
	mesh, _, err := o.meshAt(paths[0], s, rules.Kinds())
	if err != nil {
		return 0, err
	}
	found, err := answer.OfAccess(mesh, f, true)
	if err = errors.Join(err, found.Missing()); err != nil {
		return 0, err
	}
	return exitOK, o.write(s.out, found, ended(found.Matrix)+"\n"+found.Summary)
}

func runRules(_ context.Context, _ string, arguments []string, s streams) (int, error) { //nolint:unparam // called like the others
	o := newOptions("rules", "PATH", s)
	q, to := answer.RulesQuestion{Complete: true}, answer.Destination{}
	o.StringVar(&q.Dataplane, "dataplane", "", "`name` of the Dataplane, by default all, grouped by equal rules")
	o.StringVar(&to.Name, "service", "", "`name` of the only destination to show")
	o.StringVar(&to.Route, "route", "", "`name` of the route that requests for the service take")
	o.list(&q.Kinds, "type", "`kind` of policies to show, such as MeshTimeout; may be repeated")
	o.BoolVar(&q.Defaults, "defaults", false, "show what the proxy does where no policy sets a value")
	paths, err := o.parse(arguments, 1)
	if err != nil {
		return 0, err
	}
	switch {
	case to.Name != "":
		q.Destination = &to
	case to.Route != "":
		return 0, o.wrong("rules -route needs -service.")
	}
	switch {
	case q.Dataplane != "":
		q.Include = []string{"explain"}
	case q.Destination != nil || q.Defaults:
		return 0, o.wrong("rules -service and -defaults need -dataplane.")
	default:
		q.Dataplanes, q.Include = &rules.DataplaneSelector{}, answer.LongGroupAttributes()
	}
	if err := answer.CheckTypes(q.Kinds); err != nil {
		return 0, err
	}
	mesh, docs, err := o.meshAt(paths[0], s, rules.Kinds())
	if err != nil {
		return 0, err
	}
	found, err := answer.OfEffectiveRules(mesh, q)
	if errors.Is(err, rules.ErrUnknownDataplane) {
		key := kuma.Key{Type: kuma.KindDataplane, Mesh: mesh.Name, Name: q.Dataplane}
		dataplanes, errRead := docs.ofKinds([]def.Kind{kinds.Dataplane})
		err = cmp.Or(errRead, fmt.Errorf("%s is not in the documents.%s", key, dataplanes.SuggestDataplane(key)))
	}
	if err != nil {
		return 0, err
	}
	text := ended(found.Explanation) + strings.Join(phrase.Each(found.Warnings, func(w string) string { return "Warning: " + w + "\n" }), "")
	return exitOK, o.write(s.out, found, text)
}

// list is an option that may be repeated.
func (o *options) list(to *[]string, name, usage string) {
	o.Func(name, usage, func(v string) error { *to = append(*to, v); return nil })
}

// write writes an answer in the format of the option.
func (o *options) write(w io.Writer, found any, asText string) error {
	if o.format == "json" {
		return writeJSON(w, tree.Of(found))
	}
	return writeVisible(w, ended(asText), func(r rune) string { return phrase.Printable(string(r)) })
}

// ended returns a text with a line break at the end, unless it is empty.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

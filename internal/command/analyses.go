package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func runImpact(ctx context.Context, arguments []string, s streams) (int, error) {
	o := newOptions("impact", "[BEFORE] AFTER", s)
	exitCode := o.Bool("exit-code", false, "exit with 1 if the change affects a proxy")
	against := o.String("against", "", "`name` of a context of kumactl: compare the control plane with another one instead of documents")
	from := o.source()
	paths, err := o.parse(arguments, 0, 2)
	if err != nil {
		return 0, err
	}
	all := answers{exitCode: *exitCode}
	switch {
	case *against != "" && len(paths) == 0:
		err = all.ofControlPlanes(ctx, from, *against)
	case *against != "":
		return 0, o.wrong("impact -against takes no path.")
	case len(paths) == 0:
		return 0, o.wrong("impact needs a path.")
	case len(paths) == 1:
		err = all.ofStoredAndDocuments(ctx, from, paths[0])
	default:
		err = all.ofTwoDocuments(o, paths)
	}
	if err != nil {
		return 0, err
	}
	return all.write(o, s.out)
}

// answers are the answers of an analysis for some meshes.
type answers struct {
	names    []string
	results  []any
	texts    []string
	exitCode bool
	negative bool
}

func (a *answers) add(mesh string, found any, text string) {
	a.names, a.results, a.texts = append(a.names, mesh), append(a.results, found), append(a.texts, text)
}

// code is the exit code.
func (a *answers) code() int {
	if a.negative {
		return exitNegative
	}
	return exitOK
}

// write writes the answer about a mesh, or those about several: as JSON, an object by mesh.
func (a *answers) write(o *options, w io.Writer) (int, error) {
	if o.format == "json" {
		if len(a.results) == 1 {
			return a.code(), writeJSON(w, tree.Of(a.results[0]))
		}
		byMesh := map[string]any{}
		for i, name := range a.names {
			byMesh[name] = tree.Of(a.results[i])
		}
		return a.code(), writeJSON(w, byMesh)
	}
	return a.code(), writeText(w, ended(strings.Join(slices.DeleteFunc(slices.Clone(a.texts), func(t string) bool { return t == "" }), "\n")))
}

// addImpact adds the impact on a mesh.
func (a *answers) addImpact(before, after input.Mesh, o *options) error {
	after.WithShadow = o.shadow
	found, err := answer.OfImpact(before, after, nil, true)
	if err != nil {
		return err
	}
	a.negative = a.negative || a.exitCode && found.Any()
	a.add(after.Name, found, found.Summary)
	return nil
}

// ofTwoDocuments compares documents. A change may rename the mesh.
func (a *answers) ofTwoDocuments(o *options, paths []string) error {
	before, err := o.readValid(paths[0], impact.Kinds())
	if err != nil {
		return err
	}
	after, err := o.readValid(paths[1], impact.Kinds())
	if err != nil {
		return err
	}
	for _, name := range o.meshesOf(after, before) {
		// Each comparison changes its input.
		was, is := *before.Documents, *after.Documents
		first, second := input.Change(&was, &is, name, o.requested)
		err := a.addImpact(first, second, o)
		if errors.Is(err, rules.ErrUnknownMesh) {
			err = input.MissingMesh(name, before.Documents, after.Documents)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ofStoredAndDocuments compares what is stored with what it is after the documents are applied.
func (a *answers) ofStoredAndDocuments(ctx context.Context, from *source, path string) error {
	docs, err := from.readValid(path, impact.Kinds())
	if err != nil {
		return err
	}
	base, err := from.controlPlane(ctx)
	if err != nil {
		return err
	}
	for _, name := range from.meshesOf(docs) {
		cp, stored, err := base.read(ctx, name, impact.Kinds(), nil)
		if err != nil {
			return err
		}
		before, after := input.Written(name, cp, from.requested, stored, ofMesh(docs.Resources(), name), nil)
		if err := a.addImpact(before, after, from.options); err != nil {
			return err
		}
	}
	return nil
}

// ofControlPlanes compares the meshes of two control planes.
func (a *answers) ofControlPlanes(ctx context.Context, from *source, against string) error {
	first, err := from.controlPlane(ctx)
	if err != nil {
		return err
	}
	other := source{options: from.options, target: provider.Target{Context: against}}
	second, err := other.controlPlane(ctx)
	if err != nil {
		return err
	}
	names, err := first.selected(ctx, from.options)
	if err != nil {
		return err
	}
	more, err := second.selected(ctx, from.options)
	if err != nil {
		return err
	}
	for _, name := range phrase.Sorted(slices.Concat(names, more)) {
		before, err := first.mesh(ctx, name, impact.Kinds(), from.options)
		if err != nil {
			return err
		}
		after, err := second.mesh(ctx, name, impact.Kinds(), from.options)
		if err != nil {
			return err
		}
		if err := a.addImpact(before, after, from.options); err != nil {
			return err
		}
	}
	return nil
}

// ofMesh returns the resources of a mesh, the mesh itself, and those outside meshes.
func ofMesh(resources []kuma.Resource, name string) (own []kuma.Resource) {
	for _, r := range resources {
		if concerns(r.Key(), name) {
			own = append(own, r)
		}
	}
	return own
}

// concerns reports whether a resource is in a mesh, or the mesh itself, or outside meshes.
func concerns(key kuma.Key, mesh string) bool {
	return key.Mesh == mesh || key.Mesh == "" && key.Type != kuma.KindMesh || key == kuma.MeshKey(mesh)
}

// analyzed is a mesh of a command.
type analyzed struct {
	input.Mesh
	documents *documents // nil for the mesh of a control plane
}

// meshes reads the meshes of the documents at a path, or without one of the control plane, with
// resources of some kinds.
func (s *source) meshes(ctx context.Context, paths []string, of []def.Kind) ([]analyzed, error) {
	var out []analyzed
	if len(paths) == 0 {
		base, err := s.controlPlane(ctx)
		if err != nil {
			return nil, err
		}
		names, err := base.selected(ctx, s.options)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			mesh, err := base.mesh(ctx, name, of, s.options)
			if err != nil {
				return nil, err
			}
			if !mesh.Exists() {
				all, err := base.meshes(ctx)
				return nil, cmp.Or(err, fmt.Errorf("the control plane has no mesh %q.%s", name, phrase.Suggest(name, all)))
			}
			out = append(out, analyzed{mesh, nil})
		}
		if out == nil {
			return nil, errors.New("the control plane has no mesh")
		}
		return out, nil
	}
	docs, err := s.read(paths[0], of)
	if err != nil {
		return nil, err
	}
	if len(docs.keys) == 0 {
		return nil, nil
	}
	for _, name := range s.meshesOf(docs) {
		mesh := docs.Mesh(name, s.requested)
		mesh.WithShadow = s.shadow
		if !mesh.Exists() {
			return nil, input.MissingMesh(name, docs.Documents)
		}
		out = append(out, analyzed{mesh, docs})
	}
	return out, nil
}

// onlyMesh returns the only mesh, for a question that one of several would have to answer.
func onlyMesh(meshes []analyzed, err error) (analyzed, error) {
	if err != nil {
		return analyzed{}, err
	}
	if len(meshes) > 1 {
		return analyzed{}, fmt.Errorf("there are several meshes: %s. Select one with -mesh",
			phrase.And(phrase.Each(meshes, func(m analyzed) string { return m.Name })...))
	}
	return meshes[0], nil
}

func runRequest(ctx context.Context, arguments []string, s streams) (int, error) {
	o := newOptions("request", "[PATH]", s, "html")
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
	from := o.source()
	paths, err := o.parse(arguments, 0, 1)
	if err != nil {
		return 0, err
	}
	for _, names := range [][]string{{"dataplane", "client-service", "spiffe-id"}, {"service", "host"}} {
		if err := o.oneOf(names...); err != nil {
			return 0, err
		}
	}
	kinds := request.Kinds()
	if o.format == "html" {
		kinds = lint.Kinds() // of the whole page
	}
	mesh, err := onlyMesh(from.meshes(ctx, paths, kinds))
	if err != nil {
		return 0, err
	}
	r.Mesh = mesh.Name
	found, err := answer.OfRequest(mesh.Mesh, r)
	if err != nil {
		return 0, err
	}
	all := answers{negative: !found.Succeeds()}
	all.add(mesh.Name, found, found.Explanation)
	if o.format == "html" {
		p, err := ofRequest(mesh.Mesh, found)
		if err != nil {
			return 0, err
		}
		return all.code(), p.write(s.out)
	}
	return all.write(o, s.out)
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

func runAccess(ctx context.Context, arguments []string, s streams) (int, error) {
	o := newOptions("access", "[PATH]", s)
	var f access.Filter
	o.list(&f.From, "from", "`name` of a client to include, a service or a Dataplane; may be repeated")
	o.list(&f.To, "to", "`name` of a service to include; may be repeated")
	from := o.source()
	paths, err := o.parse(arguments, 0, 1)
	if err != nil {
		return 0, err
	}
	meshes, err := from.meshes(ctx, paths, proxy.Kinds())
	if err != nil {
		return 0, err
	}
	var all answers
	for _, mesh := range meshes {
		found, err := answer.OfAccess(mesh.Mesh, f, true)
		if err = errors.Join(err, found.Missing()); err != nil {
			return 0, err
		}
		all.add(mesh.Name, found, ended(found.Matrix)+"\n"+access.Legend(found.Matrix)+found.Summary)
	}
	return all.write(o, s.out)
}

func runRules(ctx context.Context, arguments []string, s streams) (int, error) {
	o := newOptions("rules", "[PATH]", s)
	q, to := answer.RulesQuestion{Complete: true}, answer.Destination{}
	o.StringVar(&q.Dataplane, "dataplane", "", "`name` of the Dataplane, by default all, grouped by equal rules")
	o.StringVar(&to.Name, "service", "", "`name` of the only destination to show")
	o.StringVar(&to.Kind, "kind", "", "`kind` of the destination, if several have the name, such as MeshService")
	o.StringVar(&to.Route, "route", "", "`name` of the route that requests for the service take")
	o.list(&q.Kinds, "type", "`kind` of policies to show, such as MeshTimeout; may be repeated")
	o.BoolVar(&q.Defaults, "defaults", false, "show what the proxy does where no policy sets a value")
	from := o.source()
	paths, err := o.parse(arguments, 0, 1)
	if err != nil {
		return 0, err
	}
	switch {
	case to.Name != "":
		q.Destination = &to
	case to.Route != "", to.Kind != "":
		return 0, o.wrong("rules -route and -kind need -service.")
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
	meshes, err := from.meshes(ctx, paths, rules.Kinds())
	if q.Dataplane != "" {
		var only analyzed
		only, err = onlyMesh(meshes, err)
		meshes = []analyzed{only}
	}
	if err != nil {
		return 0, err
	}
	var all answers
	for _, mesh := range meshes {
		found, err := answer.OfEffectiveRules(mesh.Mesh, q)
		if errors.Is(err, rules.ErrUnknownDataplane) && mesh.documents != nil {
			key := kuma.Key{Type: kuma.KindDataplane, Mesh: mesh.Name, Name: q.Dataplane}
			err = fmt.Errorf("%s is not in the documents.%s", key, mesh.documents.SuggestDataplane(key))
		}
		if err != nil {
			return 0, err
		}
		text := ended(found.Explanation)
		if len(all.texts) == 0 && strings.Contains(text, " ← ") {
			text = "Each line is a value ← the policy that sets it.\n\n" + text
		}
		if strings.Contains(text, "…") {
			text += "… means that a value is shortened. Use -format json to see all of it.\n"
		}
		all.add(mesh.Name, found, text+
			strings.Join(phrase.Each(united(found.Warnings), func(w string) string { return "Warning: " + w + "\n" }), ""))
	}
	return all.write(o, s.out)
}

// ofDataplane matches the name of a Dataplane in a warning.
var ofDataplane = regexp.MustCompile(`\bon Dataplane ("[^"]*")`)

// united unites warnings that differ only in the Dataplane.
func united(warnings []string) (all []string) {
	names := map[string][]string{}
	for _, w := range warnings {
		at := ofDataplane.FindStringSubmatchIndex(w)
		if at == nil {
			all = append(all, w)
			continue
		}
		rest := w[:at[0]] + "\x00" + w[at[1]:]
		if names[rest] == nil {
			all = append(all, rest)
		}
		names[rest] = append(names[rest], w[at[2]:at[3]])
	}
	for i, w := range all {
		if found := names[w]; found != nil {
			noun := phrase.Form(len(found), "on Dataplane ", "on Dataplanes ")
			all[i] = strings.Replace(w, "\x00", noun+phrase.And(found...), 1)
		}
	}
	return all
}

// list is an option that may be repeated.
func (o *options) list(to *[]string, name, usage string) {
	o.Func(name, usage, func(v string) error { *to = append(*to, v); return nil })
}

// ended returns a text with a line break at the end, unless it is empty.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

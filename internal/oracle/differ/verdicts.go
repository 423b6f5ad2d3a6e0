package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// verdict is the result of validating a document: accepted, or rejected for some fields.
type verdict struct {
	rejected bool
	blamed   []blame // may be empty for a document that cannot be decoded
	// unnamed reports that other fields, which are not named, are invalid, too.
	unnamed bool
}

// blame is an invalid field.
type blame struct {
	path tree.Path
	// inside reports that the control plane names a path that the document cannot have;
	// path is the innermost part of it that it can have.
	inside bool
}

// Kinds of differences between verdicts.
const (
	onlyTheyReject = "only the control plane rejects"
	onlyWeReject   = "only our checks reject"
	otherPaths     = "rejected for other fields"
)

// compareVerdicts writes random documents of all kinds, valid ones and ones with one or
// two mutations, and compares the verdicts of the control plane with those of our checks.
func compareVerdicts(ctx context.Context, s *oracle.Site, settings settings) (found oracle.Result, err error) {
	o := randomworld.Options{Mesh: "verdicts", Zone: s.Info.Zone, Release: s.Info.Release}
	if _, err := s.Put(ctx, kuma.Resource{Type: kuma.KindMesh, Name: o.Mesh, Body: map[string]any{}}); err != nil {
		return found, err
	}
	all := slices.DeleteFunc(kinds.All(), func(k def.Kind) bool { return !o.Release.Has(k.Since) })
	sum := newVerdictSummary()
	for i := range settings.verdicts {
		seed, k := settings.seed+uint64(i), all[i%len(all)]
		r, ok := randomworld.Document(seed, k, o)
		if !ok {
			continue
		}
		r = randomworld.Mutate(seed, k, r, i/len(all)%3, o)
		if !judged(k, r, o.Release) {
			continue
		}
		what, theirs, err := verdictsOf(ctx, s, r)
		var notAllowed *controlplane.NotAllowedError
		var unknown *controlplane.UnknownKindError
		if errors.As(err, &notAllowed) || errors.As(err, &unknown) {
			sum.notWritable(k.Name)
			continue
		}
		if err != nil {
			return found, fmt.Errorf("seed %d: %s: %w", seed, phrase.JSON(r.Document()), err)
		}
		if sum.add(k.Name, theirs.rejected, what) {
			tellSmallest(ctx, s, r, what)
		}
	}
	sum.write(os.Stdout)
	total := sum.total()
	return oracle.Result{Compared: fmt.Sprintf("%d documents", total.compared), Different: total.different}, nil
}

// tellSmallest prints a document with different verdicts after shrinking it.
func tellSmallest(ctx context.Context, s *oracle.Site, r kuma.Resource, what string) {
	attempts := 200
	smallest := withoutParts([]kuma.Resource{r}, 0, func(candidate []kuma.Resource) bool {
		attempts--
		if attempts < 0 {
			return false
		}
		still, _, err := verdictsOf(ctx, s, candidate[0])
		return err == nil && still == what
	})[0]
	k, _ := kinds.Find(smallest.Type)
	_, err := verdictOf(ctx, s, smallest)
	fmt.Fprintf(os.Stderr, "%s\n  %s\n  control plane: %v\n", what, phrase.JSON(smallest.Document()), err)
	for _, p := range problems(k, smallest, s.Info.ControlPlane) {
		fmt.Fprintf(os.Stderr, "  our checks: %s: %s\n", p.Path, p.Summary)
	}
}

// verdictsOf compares both verdicts about a document. The string describes how they
// differ, by kind and path; it is empty if they are equal.
func verdictsOf(ctx context.Context, s *oracle.Site, r kuma.Resource) (what string, theirs verdict, err error) {
	k, _ := kinds.Find(r.Type)
	ours := blames(problems(k, r, s.Info.ControlPlane))
	theirs, err = verdictOf(ctx, s, r)
	var invalid *controlplane.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return "", theirs, err
	}
	switch {
	case theirs.rejected && len(ours) == 0:
		if announced := blames(k.ValidateCreation(r.Document())); len(announced) > 0 && theirs.agrees(announced) {
			return "", theirs, nil
		}
		return describe(onlyTheyReject, k, theirs.blamed), theirs, nil
	case len(ours) > 0 && !theirs.rejected:
		return describe(onlyWeReject, k, ours), theirs, nil
	case len(theirs.blamed) > 0 && !theirs.agrees(ours):
		return describe(otherPaths, k, theirs.blamed), theirs, nil
	default:
		return "", theirs, nil
	}
}

func describe(difference string, k def.Kind, blamed []blame) string {
	places := phrase.Each(blamed, func(b blame) string { return withoutIndices(b.path.String()) })
	slices.Sort(places)
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", difference, k.Name, strings.Join(slices.Compact(places), " ")))
}

// problems returns the errors of the first stage that has any, which are those that a
// control plane reports.
func problems(k def.Kind, r kuma.Resource, cp kuma.ControlPlane) []def.Problem {
	doc := r.Document()
	all := append(k.ValidateIn(doc, cp.Release), k.ValidateLabels(doc, cp)...)
	all = slices.DeleteFunc(def.Errors(all), func(p def.Problem) bool { return p.Topic == def.Stated })
	if len(all) == 0 {
		return nil
	}
	first := slices.MinFunc(all, func(a, b def.Problem) int { return int(a.Stage) - int(b.Stage) }).Stage
	return slices.DeleteFunc(all, func(p def.Problem) bool { return p.Stage != first })
}

// judged reports whether our checks should agree with a control plane of a release about
// a document: not if it contains values in a format that only the control plane reads, or
// that it does not read, if it names files on the host of the control plane, or if it has
// fields that are later than the release.
func judged(k def.Kind, r kuma.Resource, release kuma.Release) bool {
	doc := r.Document()
	if release.Kuma3() && stated(doc) {
		return false
	}
	return !slices.ContainsFunc(k.ValidateRelease(doc, release), func(p def.Problem) bool { return p.Topic == def.Unsupported }) &&
		!readsFiles(r) && !hasUnread(k, doc) &&
		!slices.ContainsFunc(k.Validate(doc), func(p def.Problem) bool { return p.Stage == def.Spelling })
}

// stated reports whether a document has what a development build of Kuma 3.0 treats
// differently from what is stated for the release: a setting of a mesh and filters of backends, which it drops, and
// a reference to all services of a kind, which it rejects (release3.md §2, §4).
func stated(doc map[string]any) bool {
	return tree.Text(doc["type"]) == kuma.KindMesh && doc["meshServices"] != nil ||
		slices.ContainsFunc(tree.Root(doc).Find("spec.to[].rules[].default.backendRefs[].filters"), tree.Node.Known) ||
		slices.ContainsFunc(tree.Root(doc).Find("networking.transparentProxying.reachableBackends.refs[]"), func(n tree.Node) bool {
			return n.Get("labels").Empty()
		})
}

// hasUnread reports whether a document has values that a control plane may not read: the
// metrics of a gateway, and values of a wrong type in an object that it stores as it is
// sent. It reads what the type of the object uses, and names the whole object if it fails
// to (validation.md, Mesh).
func hasUnread(k def.Kind, doc map[string]any) bool {
	root := tree.Root(doc)
	if k.Name == kinds.Dataplane.Name && root.Get("networking", "gateway").Known() && root.Get("metrics").Known() {
		return true
	}
	freeForm := map[string]bool{}
	def.Walk(k.Root(), root, func(p def.Place) bool {
		freeForm[p.Path.String()] = p.FreeForm
		return true
	})
	return slices.ContainsFunc(k.Validate(doc), func(p def.Problem) bool { return p.Stage == def.Decode && freeForm[p.Path.String()] })
}

// readsFiles reports whether a control plane reads the certificate authority of a Mesh
// from files when the mesh is written.
func readsFiles(r kuma.Resource) bool {
	mtls := tree.Root(r.Body).Get("mtls")
	return !mtls.Get("skipValidation").True() && slices.ContainsFunc(mtls.Get("backends").Items(), func(b tree.Node) bool {
		conf := b.Get("conf")
		return conf.Get("cert", "file").Filled() || conf.Get("key", "file").Filled()
	})
}

func blames(problems []def.Problem) []blame {
	return phrase.Each(problems, func(p def.Problem) blame { return blame{path: p.Path} })
}

// verdictOf writes a document and removes it again, because stored resources affect the
// verdicts about others. The error is the rejection.
func verdictOf(ctx context.Context, s *oracle.Site, r kuma.Resource) (verdict, error) {
	k, _ := kinds.Find(r.Type)
	_, _, err := s.Client.Put(ctx, k, r)
	if err == nil {
		_ = s.Client.Delete(ctx, k, r.Mesh, r.Name)
		return verdict{}, nil
	}
	v, doc := verdict{rejected: true}, r.Document()
	if invalid, ok := errors.AsType[*controlplane.InvalidError](err); ok {
		for _, violation := range invalid.Violations {
			if violation.Field == "" {
				v.unnamed = true
			} else {
				v.blamed = append(v.blamed, placeOf(k, doc, meant(k, doc, violation.Field)))
			}
		}
	}
	return v, err
}

// placeOf returns the place of a document that a path of a control plane refers to: an
// existing one, or a field that could exist. The keys of maps do not count, because not
// all rules quote them.
func placeOf(k def.Kind, doc map[string]any, path tree.Path) blame {
	for i, step := range path {
		at := path[:i]
		switch container := tree.At(doc, at).(type) {
		case map[string]any:
			name, _ := step.(string)
			if _, has := container[name]; has {
				continue
			}
			o, _ := k.ObjectAt(at)
			_, declared := o.Field(name)
			switch {
			case !declared:
				return blame{at, true}
			case i+1 == len(path):
				return blame{path: path}
			default:
				return blame{path[:i+1], true}
			}
		case []any:
			if n, ok := step.(int); ok && n < len(container) {
				continue
			}
		}
		return blame{at, true}
	}
	_, isMap := tree.At(doc, path).(map[string]any)
	_, isObject := k.ObjectAt(path)
	return blame{path, isMap && !isObject}
}

// misnamed lists fields that a control plane reports with the names of other fields
// (validation.md §1).
var misnamed = map[string]struct{ name, means tree.Path }{
	kinds.Dataplane.Name:          {tree.Path{"networking", "probes"}, tree.Path{"probes"}},
	kinds.MeshCircuitBreaker.Name: {tree.Path{"spec", "from"}, tree.Path{"spec", "rules"}},
}

// meant returns the path that a field of a control plane refers to. If the document has both
// spellings, it is the path of the object around them.
func meant(k def.Kind, doc map[string]any, field string) tree.Path {
	path, m := tree.ParsePath(field), misnamed[k.Name]
	n := len(m.name)
	switch {
	case len(path) < n || tree.ComparePaths(path[:n], m.name) != 0 || !filled(tree.At(doc, m.means)):
		return path
	case filled(tree.At(doc, m.name)):
		return m.name.Parent().Child("")
	default:
		return slices.Concat(m.means, path[n:])
	}
}

func filled(v any) bool { return tree.Root(v).Filled() }

// agrees reports whether a verdict reports the fields that our checks report.
func (v verdict) agrees(ours []blame) bool {
	covered := func(these, those []blame) bool {
		return !slices.ContainsFunc(these, func(x blame) bool {
			return !slices.ContainsFunc(those, func(y blame) bool { return samePlace(x, y) })
		})
	}
	return covered(v.blamed, ours) && (v.unnamed || covered(ours, v.blamed))
}

func samePlace(a, b blame) bool {
	if a.inside || b.inside {
		n := min(len(a.path), len(b.path))
		return tree.ComparePaths(a.path[:n], b.path[:n]) == 0
	}
	return tree.ComparePaths(a.path, b.path) == 0
}

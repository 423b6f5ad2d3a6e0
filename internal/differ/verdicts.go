package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/randomworld"
)

// verdict is what somebody says about a document: the paths that are wrong.
type verdict struct {
	refused bool
	paths   []string // may be empty for a document that cannot be read
}

// Differences of verdicts.
const (
	onlyTheyRefuse = "only the control plane refuses"
	onlyWeRefuse   = "only we refuse"
	otherPaths     = "refused for other members"
)

// compareVerdicts puts random documents of all kinds, valid ones and ones with
// one mutation, and compares what the control plane says with what our checks
// say. It reports whether nothing differs.
func compareVerdicts(ctx context.Context, s *controlPlane, settings settings) (equal bool, err error) {
	o := randomworld.Options{Mesh: "verdicts", Zone: s.info.Zone, Release: kuma.ParseRelease(s.info.Version)}
	if _, err := s.put(ctx, kuma.Resource{Type: kuma.KindMesh, Name: o.Mesh, Body: map[string]any{}}); err != nil {
		return false, err
	}
	var writable []def.Kind
	for _, k := range kinds.All() {
		if k.ZoneOwned {
			writable = append(writable, k)
		}
	}
	compared, refused, found := 0, 0, map[string]int{}
	for i := range settings.verdicts {
		seed := settings.seed + uint64(i)
		r, ok := randomworld.Document(seed, writable[i%len(writable)], o)
		if !ok {
			continue
		}
		if i/len(writable)%3 > 0 {
			r = mutate(seed, r)
		}
		what, theirs, err := verdictsOf(ctx, s, r)
		if err != nil {
			return false, fmt.Errorf("seed %d: %w", seed, err)
		}
		compared++
		if theirs.refused {
			refused++
		}
		if what == "" {
			continue
		}
		found[what]++
		if found[what] == 1 {
			tellSmallest(ctx, s, r, what)
		}
	}
	different := 0
	for _, what := range slices.Sorted(maps.Keys(found)) {
		different += found[what]
		fmt.Fprintf(os.Stderr, "%4d %s\n", found[what], what)
	}
	fmt.Fprintf(os.Stdout, "%d documents compared, %d of them refused, %d judged differently, in %d ways\n", compared, refused, different, len(found))
	return different == 0, nil
}

// tellSmallest writes a document that is judged differently, as small as it gets.
func tellSmallest(ctx context.Context, s *controlPlane, r kuma.Resource, what string) {
	attempts := 200
	smallest := withoutParts([]kuma.Resource{r}, 0, func(candidate []kuma.Resource) bool {
		attempts--
		if attempts < 0 {
			return false
		}
		still, _, err := verdictsOf(ctx, s, candidate[0])
		return err == nil && still == what
	})[0]
	k, _ := kinds.Find(r.Type)
	_, err := verdictOf(ctx, s, smallest)
	fmt.Fprintf(os.Stderr, "%s\n  %s\n  control plane: %v\n  we: %v\n", what, phrase.JSON(smallest.Document()), err, problems(k, smallest))
}

// verdictsOf compares both verdicts about a document. The text says how they
// differ, by kind and place; it is empty when they do not.
func verdictsOf(ctx context.Context, s *controlPlane, r kuma.Resource) (what string, theirs verdict, err error) {
	k, _ := kinds.Find(r.Type)
	ours := verdict{}
	for _, p := range problems(k, r) {
		ours.refused = true
		ours.paths = append(ours.paths, withoutIndices(p.Path.String()))
	}
	theirs, err = verdictOf(ctx, s, r)
	var invalid *controlplane.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		return "", theirs, err
	}
	switch {
	case theirs.refused && !ours.refused:
		return describe(onlyTheyRefuse, k, theirs.paths), theirs, nil
	case ours.refused && !theirs.refused:
		return describe(onlyWeRefuse, k, ours.paths), theirs, nil
	case len(theirs.paths) > 0 && !samePlaces(ours.paths, theirs.paths):
		return describe(otherPaths, k, theirs.paths), theirs, nil
	default:
		return "", theirs, nil
	}
}

func describe(difference string, k def.Kind, paths []string) string {
	slices.Sort(paths)
	return fmt.Sprintf("%s: %s %s", difference, k.Name, strings.Join(slices.Compact(paths), " "))
}

// problems returns the errors of the first stage that has any, which are those
// that a control plane tells.
func problems(k def.Kind, r kuma.Resource) []def.Problem {
	all := def.Errors(k.Validate(r.Document()))
	if len(all) == 0 {
		return nil
	}
	first := slices.MinFunc(all, func(a, b def.Problem) int { return int(a.Stage) - int(b.Stage) }).Stage
	return slices.DeleteFunc(all, func(p def.Problem) bool { return p.Stage != first })
}

// verdictOf puts a document, and removes it again: what is there decides what may
// follow. The error is the refusal.
func verdictOf(ctx context.Context, s *controlPlane, r kuma.Resource) (verdict, error) {
	k, _ := kinds.Find(r.Type)
	_, _, err := s.client.Put(ctx, k, r)
	if err == nil {
		_ = s.client.Delete(ctx, k, r.Mesh, r.Name)
		return verdict{}, nil
	}
	v := verdict{refused: true}
	var invalid *controlplane.InvalidError
	if errors.As(err, &invalid) {
		for _, violation := range invalid.Violations {
			if violation.Field != "" {
				v.paths = append(v.paths, withoutIndices(violation.Field))
			}
		}
	}
	return v, err
}

// samePlaces reports whether each path of one list has a relative in the other: a
// control plane often blames the object in which something is wrong.
func samePlaces(a, b []string) bool {
	relatives := func(these, those []string) bool {
		return !slices.ContainsFunc(these, func(x string) bool {
			return !slices.ContainsFunc(those, func(y string) bool { return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) })
		})
	}
	return relatives(a, b) && relatives(b, a)
}

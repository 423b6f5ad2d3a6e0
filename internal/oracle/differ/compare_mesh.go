package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// asks is the number of repeated requests after which an answer counts as
// different from the engine's, and arbitraryAsks that in releases before steady,
// whose rules by tags vary, sometimes rarely (versions.md §5, M12).
const (
	asks          = 4
	arbitraryAsks = 20
	steady        = "2.10.10"
)

func asksOf(s *oracle.Site) int {
	if s.Info.Release.Has(steady) {
		return asks
	}
	return arbitraryAsks
}

// input is the source of the resources of the engine.
type input string

// Inputs of the engine.
const (
	asStored  input = "as stored"
	asPlanned input = "as planned"
	// lookedUp is asStored, for single ports and destinations.
	lookedUp input = "looked up"
)

// finding is a dataplane for which engine and control plane differ.
type finding struct {
	site        *oracle.Site
	dataplane   string
	input       input
	differences []string // paths with both values
}

var (
	indices = regexp.MustCompile(`\[\d+\]`)
	keys    = regexp.MustCompile(`\["([^"]+)"\]`)
)

// withoutIndices returns a path without positions in lists, and with keys like fields.
func withoutIndices(path string) string {
	return keys.ReplaceAllString(indices.ReplaceAllString(path, "[]"), ".$1")
}

// signature is the path of the first place without positions in lists: two findings
// with the same are likely to have the same cause.
func (f finding) signature() string {
	path, _, _ := strings.Cut(f.differences[0], " ") // the values follow the path
	return withoutIndices(strings.TrimSuffix(path, ":"))
}

// result counts the comparisons of one world.
type result struct {
	compared   int // dataplanes
	random     int // dataplanes for which the control plane gave several answers
	unanswered int // dataplanes for which the control plane failed to answer
	skipped    int // dataplanes for which the engine reports that it has no answer
	lookups    int // answers about single ports and destinations
	shared     int // inbounds that were omitted from lookups
	findings   []finding
}

func (r *result) add(o result) {
	r.compared += o.compared
	r.random += o.random
	r.unanswered += o.unanswered
	r.skipped += o.skipped
	r.lookups += o.lookups
	r.shared += o.shared
	r.findings = append(r.findings, o.findings...)
}

// check repeats a comparison until nothing differs. A difference counts if it persists and
// the answers do not change. The first answer may be from before the last change.
func check(ctx context.Context, repetitions int, observe func(context.Context) (observation, error)) (result, error) {
	last, err := observe(ctx)
	changed := map[string]bool{} // dataplanes
	for i := range repetitions {
		if err != nil || len(last.findings) == 0 {
			return last.result, err
		}
		if err := oracle.Pause(ctx, oracle.Cached); err != nil {
			return last.result, err
		}
		var next observation
		if next, err = observe(ctx); err != nil {
			return last.result, err
		}
		for dataplane, answer := range next.answers {
			if i > 0 && next.stored == last.stored && !tree.Equal(answer, last.answers[dataplane]) {
				changed[dataplane] = true
			}
		}
		last = next
	}
	last.findings = slices.DeleteFunc(last.findings, func(f finding) bool {
		if changed[f.dataplane] {
			last.random++
		}
		return changed[f.dataplane]
	})
	return last.result, nil
}

// observation is the state of a mesh at one time.
type observation struct {
	result
	stored  string         // the resources
	answers map[string]any // of the control plane, by dataplane
}

// observe compares the dataplanes of one mesh on one control plane. Without sent resources,
// planned resources are not compared.
func observe(ctx context.Context, s *oracle.Site, mesh string, sent []kuma.Resource) (observation, error) {
	stored, err := s.Stored(ctx, mesh)
	if err != nil {
		return observation{}, err
	}
	v := observation{stored: oracle.Fingerprint(stored), answers: map[string]any{}}
	computed := map[input]map[string]any{}
	snapshot := rules.NewSnapshotFor(s.Info.Release, stored)
	computed[asStored], err = engine(snapshot, mesh)
	switch {
	case errors.Is(err, rules.ErrTooManySubsets):
		v.skipped = len(snapshot.Dataplanes(mesh))
		return v, nil
	case err != nil:
		return observation{}, err
	}
	if sent != nil {
		future := rules.NewSnapshotFor(s.Info.Release, planned(sent, stored, s.Info.ControlPlane))
		if computed[asPlanned], err = engine(future, mesh); err != nil {
			return observation{}, fmt.Errorf("planned resources: %w", err)
		}
	}
	if err := v.compareRules(ctx, s, mesh, computed); err != nil {
		return observation{}, err
	}
	err = v.compareLookups(ctx, s, snapshot, mesh)
	return v, err
}

// compareRules compares the rules of dataplanes with those that were computed from inputs,
// by dataplane. It reports the first input that differs.
func (v *observation) compareRules(ctx context.Context, s *oracle.Site, mesh string, computed map[input]map[string]any) error {
	for _, dataplane := range slices.Sorted(maps.Keys(computed[asStored])) {
		actual, err := s.Rules(ctx, mesh, dataplane)
		if errors.Is(err, oracle.ErrUnanswered) {
			v.unanswered++
			fmt.Fprintf(os.Stderr, "mesh %s, dataplane %s: %v\n", mesh, dataplane, err)
			continue
		}
		if err != nil {
			return err
		}
		actual = testworld.ComparableAnswer(actual)
		v.compared++
		v.answers[dataplane] = actual
		for _, in := range []input{asStored, asPlanned} {
			if computed[in] == nil {
				continue
			}
			if places := testworld.AnswerDifferences("", computed[in][dataplane], actual); len(places) > 0 {
				v.findings = append(v.findings, finding{s, dataplane, in, places})
				break
			}
		}
	}
	return nil
}

// compareLookups adds the differences of answers about single ports and destinations,
// which exist in a mesh with mode Exclusive.
func (v *observation) compareLookups(ctx context.Context, s *oracle.Site, snapshot *rules.Snapshot, mesh string) error {
	if !snapshot.Exclusive(mesh) || !s.Info.Release.Has(lookupsSince) {
		return nil
	}
	for _, dataplane := range snapshot.Dataplanes(mesh) {
		different := slices.ContainsFunc(v.findings, func(f finding) bool { return f.dataplane == dataplane })
		if _, answered := v.answers[dataplane]; different || !answered {
			continue
		}
		answer, err := snapshot.Dataplane(mesh, dataplane)
		if err != nil {
			return err
		}
		l := lookups{
			site: s, snapshot: snapshot, dataplane: *snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: mesh, Name: dataplane}),
			gateways: snapshot.Resources(mesh, kuma.KindMeshGateway), answer: answer,
		}
		if err := l.compare(ctx); err != nil {
			return err
		}
		v.lookups += l.compared
		v.shared += l.ambiguous
		if len(l.places) > 0 {
			v.findings = append(v.findings, finding{s, dataplane, lookedUp, l.places})
		}
	}
	return nil
}

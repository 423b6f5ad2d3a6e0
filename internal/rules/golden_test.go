package rules_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestGolden compares the engine with the answers of a real control plane in all
// recorded worlds, with -short in those of group A, which has one for each topic.
func TestGolden(t *testing.T) {
	group := "*"
	if testing.Short() {
		group = "a*"
	}
	var counted, informational tally
	for _, world := range testworld.Golden(t, group) {
		t.Run(world.Name, func(t *testing.T) {
			got := checkWorld(t, world)
			if world.Informational {
				informational.add(got)
			} else {
				counted.add(got)
			}
		})
	}
	t.Logf("%s; informational: %s", counted, informational)
}

// TestReleases compares the engine with the answers of control planes of older
// releases. Each world shows what they do differently, see versions.md §5.
func TestReleases(t *testing.T) {
	for _, world := range testworld.Releases(t) {
		t.Run(world.Release.String()+"/"+world.Name, func(t *testing.T) {
			if got := checkWorld(t, world); got.dataplanes == 0 {
				t.Error("no dataplane was compared")
			}
			if !answersDiffer(t, world) {
				t.Errorf("release %s has the same answers", rules.Newest())
			}
		})
	}
}

// answersDiffer reports whether the newest release has other answers about a world.
func answersDiffer(t *testing.T, world testworld.World) bool {
	t.Helper()
	newest := rules.NewSnapshot(world.Resources)
	return slices.ContainsFunc(newest.Dataplanes(world.Mesh), func(dataplane string) bool {
		got := testworld.NormalAnswer(answerTree(t, newest, world.Mesh, dataplane))
		return len(testworld.AnswerDifferences("", got, testworld.ComparableAnswer(world.Answers[dataplane]))) > 0
	})
}

type tally struct{ worlds, equal, dataplanes int }

func (t *tally) add(o tally) {
	t.worlds += o.worlds
	t.equal += o.equal
	t.dataplanes += o.dataplanes
}

func (t tally) String() string {
	return fmt.Sprintf("%d worlds, %d of %d dataplanes equal", t.worlds, t.equal, t.dataplanes)
}

func checkWorld(t *testing.T, world testworld.World) tally {
	t.Helper()
	snapshot := rules.NewSnapshotFor(world.Release, world.Resources)
	result := tally{worlds: 1}
	for _, dataplane := range snapshot.Dataplanes(world.Mesh) {
		want, ok := world.Answers[dataplane]
		if !ok {
			t.Errorf("the answer for %s is missing", dataplane)
			continue
		}
		result.dataplanes++
		got := answerTree(t, snapshot, world.Mesh, dataplane)
		differences := testworld.AnswerDifferences("", testworld.NormalAnswer(got), testworld.ComparableAnswer(want))
		if len(differences) == 0 {
			result.equal++
			continue
		}
		report := t.Errorf
		if world.Informational {
			report = t.Logf
		}
		const shown = 5
		report("Dataplane(%q, %q): %d differences\n%s", world.Mesh, dataplane, len(differences),
			strings.Join(differences[:min(shown, len(differences))], "\n"))
	}
	if len(world.Answers) != result.dataplanes {
		t.Errorf("%d recorded answers, %d dataplanes", len(world.Answers), result.dataplanes)
	}
	return result
}

func answerTree(t *testing.T, s *rules.Snapshot, meshName, dataplane string) any {
	t.Helper()
	answer, err := s.Dataplane(meshName, dataplane)
	if err != nil {
		t.Fatalf("Dataplane(%q, %q): %v", meshName, dataplane, err)
	}
	return throughJSON(t, answer.Listed())
}

// throughJSON returns v after it was encoded as JSON and decoded.
func throughJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	testworld.NoError(t, err)
	return testworld.JSON(t, string(data))
}

func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

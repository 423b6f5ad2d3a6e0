package command_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// statement is something that a design record says about what a user writes and what happens.
type statement struct {
	States  string // what the record says, in other words
	World   string // a file of testdata/design and one of its meshes, or a document
	Ask     string // arguments of rules or request; lint, or _rules and a Dataplane for the raw answer
	Want    string // a part of the answer as the record has it
	Instead string // the part of the answer of control planes, if they differ
	Row     int    // of matching.md §14.5, which describes the difference
	Only    string // the release of the answer, by default each that has the world
}

// older are the meshes of testdata/design that use what Kuma 3.0 has removed.
var older = []string{"tags", "clients", "override", "roles", "draft", "mixed", "zones", "finance", "edge"}

// TestDesign checks the statements of testdata/statements.yaml, which has them by the part of a record.
// TestGivenWorlds of the oracle compares the rules and the requests in the same worlds with what control
// planes answer and generate. Where the records and control planes differ, the answer is that of the
// control plane, and matching.md §14.5 has the difference.
func TestDesign(t *testing.T) {
	t.Parallel()
	differences := designDifferences(t)
	covered := map[int]bool{}
	var statements map[string][]statement
	testworld.NoError(t, yaml.Unmarshal([]byte(testworld.Text(t, filepath.Join("testdata", "statements.yaml"))), &statements))
	for record, list := range statements {
		for _, s := range list {
			covered[s.Row] = true
			if (s.Row == 0) != (s.Instead == "") || s.Row != 0 && differences[s.Row] == "" {
				t.Errorf("%s: %s: the answer %q of control planes is not row %d of matching.md §14.5", record, s.States, s.Instead, s.Row)
			}
			for _, release := range []string{"2.14", "3.0"} {
				if cmp.Or(s.Only, release) != release || release == "3.0" && s.Only == "" && isOlder(s.World) {
					continue
				}
				t.Run(strings.Join([]string{record, s.States, release}, ": "), func(t *testing.T) {
					t.Parallel()
					answer := s.answer(t, release)
					if want := cmp.Or(s.Instead, s.Want); !strings.Contains(answer, want) {
						t.Errorf("%s: want %q in\n%s", s.Ask, want, answer)
					}
					if s.Instead != "" && strings.Contains(answer, s.Want) {
						t.Errorf("%s: the answer is that of the record, %q:\n%s", s.Ask, s.Want, answer)
					}
				})
			}
		}
	}
	for row, does := range differences {
		if !covered[row] && !strings.HasPrefix(does, "as designed") {
			t.Errorf("no statement shows row %d of matching.md §14.5: %s", row, does)
		}
	}
}

// isOlder reports whether Kuma 3.0 does not have a world.
func isOlder(world string) bool {
	_, mesh, ofDesign := strings.Cut(world, " ")
	return !ofDesign || strings.HasPrefix(world, "{") || slices.Contains(older, mesh)
}

// designDifferences returns what control planes do, by row of matching.md §14.5.
func designDifferences(t *testing.T) map[int]string {
	t.Helper()
	rows := map[int]string{}
	_, section, _ := strings.Cut(testworld.Text(t, filepath.Join("..", "rules", "matching.md")), "### 14.5 ")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+ \| (.+) \|$`).FindAllStringSubmatch(section, -1) {
		n, err := strconv.Atoi(row[1])
		testworld.NoError(t, err)
		rows[n] = row[2]
	}
	if len(rows) == 0 {
		t.Fatal("matching.md §14.5 has no rows")
	}
	return rows
}

func (s statement) answer(t *testing.T, release string) string {
	t.Helper()
	arguments := append(strings.Fields(s.Ask), "-kuma-version", release)
	if strings.HasPrefix(s.World, "{") {
		out, errs, _ := run(t, s.World, append(arguments, "-")...)
		return out + errs
	}
	file, mesh, _ := strings.Cut(s.World, " ")
	file = filepath.Join("testdata", "design", file+".yaml")
	if dataplane, raw := strings.CutPrefix(s.Ask, "_rules "); raw {
		a, err := rules.NewSnapshotFor(kuma.ParseRelease(release), testworld.Resources(t, testworld.Text(t, file))).Dataplane(mesh, dataplane)
		testworld.NoError(t, err)
		return phrase.JSON(a.Listed())
	}
	if mesh != "" {
		arguments = append(arguments, "-mesh", mesh)
	}
	out, errs, _ := run(t, "", append(arguments, file)...)
	return fmt.Sprint(out, "\n", errs)
}

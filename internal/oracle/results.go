package oracle

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Result is what one comparison with a control plane found.
type Result struct {
	Command   string // "make differ WORLDS=300 SEED=1"
	Release   string // of the control plane, see [Site.Version]
	Compared  string // "652 dataplanes"
	Different int
	Began     time.Time
}

// Version returns the version of the control plane. Builds that report none are of a
// development branch.
func (s *Site) Version() string {
	if kuma.ParseRelease(s.Info.Version) == (kuma.Release{}) {
		return s.Info.Release.String() + " development build"
	}
	return s.Info.Version
}

// Record replaces the row of the same command and release in the table of a Markdown file, if
// RECORD is 1 in the environment, as in make differ RECORD=1.
func (r Result) Record(file string) error {
	if os.Getenv("RECORD") != "1" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	now := time.Now()
	return os.WriteFile(file, []byte(r.replaceIn(string(data), now)), 0o644)
}

// replaceIn returns the text, which ends with the table, with the row of the result. Rows are
// sorted by command and release.
func (r Result) replaceIn(text string, now time.Time) string {
	const separator = " --- |\n"
	before, table, _ := strings.Cut(text, separator)
	key := func(row string) string {
		cells := strings.Split(row, " | ")
		return strings.Join(cells[:min(2, len(cells))], " | ")
	}
	seconds := int(math.Ceil(now.Sub(r.Began).Seconds()))
	row := fmt.Sprintf("| `%s` | %s | %s | %d | %d | %s |", r.Command, r.Release, r.Compared, r.Different, seconds, now.Format(time.DateOnly))
	rows := slices.DeleteFunc(strings.Split(strings.TrimSuffix(table, "\n"), "\n"),
		func(other string) bool { return other == "" || key(other) == key(row) })
	rows = append(rows, row)
	slices.SortFunc(rows, func(a, b string) int { return cmp.Compare(key(a), key(b)) })
	return before + separator + strings.Join(rows, "\n") + "\n"
}

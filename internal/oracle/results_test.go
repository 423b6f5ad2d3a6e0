package oracle

import (
	"testing"
	"time"
)

func TestResultReplacesItsRow(t *testing.T) {
	t.Parallel()
	const head = "# Results\n\n| Command | Release | Compared | Different | Seconds | Date |\n| --- | --- | --- | --- | --- | --- |\n"
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	r := Result{Command: "make differ WORLDS=60", Release: "2.14.3", Compared: "140 dataplanes", Began: now.Add(-90 * time.Second)}
	row := "| `make differ WORLDS=60` | 2.14.3 | 140 dataplanes | 0 | 90 | 2026-11-26 |\n"
	other := "| `make differ WORLDS=60` | 2.9.0 | 120 dataplanes | 0 | – | 2026-11-01 |\n"
	for name, table := range map[string]string{
		"new":   other,
		"again": "| `make differ WORLDS=60` | 2.14.3 | 1 dataplane | 1 | 1 | 2026-11-02 |\n" + other,
	} {
		if got, want := r.replaceIn(head+table, now), head+row+other; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

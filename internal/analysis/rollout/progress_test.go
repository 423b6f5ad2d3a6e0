package rollout_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// written is when the change of the tests was written.
var written = time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC)

// state describes a proxy, in seconds after the change.
type state struct {
	connected, updated float64 // 0 for an hour before
	gone               bool
	listeners          [3]int64 // sent, acknowledged, rejected
	endpoints          [3]int64
}

func (s state) proxy(name string) rollout.Proxy {
	at := func(seconds float64) time.Time {
		if seconds == 0 {
			return written.Add(-time.Hour)
		}
		return written.Add(time.Duration(seconds * float64(time.Second)))
	}
	lds := rollout.Counts{Sent: s.listeners[0], Acknowledged: s.listeners[1], Rejected: s.listeners[2]}
	eds := rollout.Counts{Sent: s.endpoints[0], Acknowledged: s.endpoints[1], Rejected: s.endpoints[2]}
	total := rollout.Counts{Sent: lds.Sent + eds.Sent, Acknowledged: lds.Acknowledged + eds.Acknowledged, Rejected: lds.Rejected + eds.Rejected}
	return rollout.Proxy{
		Type: kuma.KindDataplane, Mesh: "m", Name: name, Connected: !s.gone, Since: at(s.connected),
		Responses: rollout.Responses{Total: total, Types: map[string]rollout.Counts{"lds": lds, "eds": eds}, Updated: at(s.updated)},
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	const early, late = 3, 16
	old := state{listeners: [3]int64{1, 1, 0}}
	received, rejected := state{updated: 1.6, listeners: [3]int64{2, 2, 0}}, state{updated: 1.6, listeners: [3]int64{2, 1, 1}}
	for name, c := range map[string]struct {
		first, then state
		at          float64
		expected    bool
		want        rollout.Outcome
	}{
		"right after the write, the counts are those of before":     {old, old, early, true, rollout.Pending},
		"acknowledged, but too early to know that it is the change": {old, received, early, true, rollout.Pending},
		"acknowledged":                          {old, received, late, true, rollout.Acknowledged},
		"acknowledged before the first reading": {received, received, late, true, rollout.Acknowledged},
		"acknowledged by another proxy":         {old, received, late, false, rollout.Acknowledged},
		"only endpoints":                        {old, state{updated: 5, listeners: [3]int64{1, 1, 0}, endpoints: [3]int64{1, 1, 0}}, late, true, rollout.NotSent},
		"only endpoints for another proxy":      {old, state{updated: 5, listeners: [3]int64{1, 1, 0}, endpoints: [3]int64{1, 1, 0}}, late, false, rollout.Unchanged},
		"nothing":                               {old, old, late, true, rollout.NotSent},
		"nothing for another proxy":             {old, old, late, false, rollout.Unchanged},
		"slow":                                  {old, state{updated: 1.6, listeners: [3]int64{2, 1, 0}}, late, true, rollout.Pending},
		"rejected, seen early":                  {old, state{updated: 1.6, listeners: [3]int64{2, 1, 1}}, early, true, rollout.Rejected},
		"rejected before the first reading, or before the change":       {rejected, rejected, early, true, rollout.Pending},
		"rejected before the first reading, and nothing since":          {rejected, rejected, late, true, rollout.Rejected},
		"rejected before the first reading, and accepted another since": {rejected, state{updated: 9, listeners: [3]int64{3, 2, 1}}, late, true, rollout.Acknowledged},
		"rejected before the first reading, and again":                  {rejected, state{updated: 9, listeners: [3]int64{3, 1, 2}}, early, true, rollout.Rejected},
		"rejected an older change, accepted this one":                   {state{listeners: [3]int64{2, 1, 1}}, state{updated: 1.6, listeners: [3]int64{3, 2, 1}}, late, true, rollout.Acknowledged},
		"rejected an older change":                                      {state{listeners: [3]int64{2, 1, 1}}, state{listeners: [3]int64{2, 1, 1}}, late, false, rollout.Unchanged},
		"goes away":                                                     {old, state{gone: true, connected: 4, listeners: [3]int64{1, 1, 0}}, late, true, rollout.Disconnected},
		"connects again":                                                {old, state{connected: 4, updated: 4, listeners: [3]int64{1, 1, 0}}, late, true, rollout.Acknowledged},
		"connects again and rejects":                                    {old, state{connected: 4, updated: 4, listeners: [3]int64{1, 0, 1}}, early, true, rollout.Rejected},
	} {
		progress := rollout.NewProgress(rollout.Change{First: written, Last: written, Delay: 15 * time.Second, Expected: map[string]bool{"web": c.expected}})
		progress.Read(rollout.Reading{At: written, Proxies: []rollout.Proxy{c.first.proxy("web")}})
		at := written.Add(time.Duration(c.at * float64(time.Second)))
		got := progress.Read(rollout.Reading{At: at, Proxies: []rollout.Proxy{c.then.proxy("web")}})
		if names := slices.Collect(maps.Keys(got.Proxies)); !cmp.Equal(names, []rollout.Outcome{c.want}) {
			t.Errorf("%s: %v, want %q", name, names, c.want)
		}
	}
}

// TestRejectionOfAnUnknownChange waits for a change that repaired what a proxy had rejected, and that
// all had answered before the wait began: the control plane does not say what was rejected.
func TestRejectionOfAnUnknownChange(t *testing.T) {
	t.Parallel()
	recovered := state{updated: 1.6, listeners: [3]int64{3, 2, 1}}.proxy("web")
	again := state{updated: 1.6, listeners: [3]int64{4, 2, 2}}.proxy("api")
	progress := rollout.NewProgress(rollout.Change{First: written, Last: written, Delay: 15 * time.Second, Expected: map[string]bool{"web": true, "api": true}})
	progress.Read(rollout.Reading{At: written.Add(time.Minute), Proxies: []rollout.Proxy{recovered, state{updated: 1.6, listeners: [3]int64{3, 2, 1}}.proxy("api")}})
	got := progress.Read(rollout.Reading{At: written.Add(time.Minute), Proxies: []rollout.Proxy{recovered, again}})
	const want = `The rollout is not complete: of 2 proxies, 2 rejected.
Rejected the configuration, and keep the one that they had; the reason is in the log of the control plane: api.
Rejected a configuration since they connected, of this change or of an earlier one; the log of the control plane says which: web.
`
	testworld.Equal(t, "result", want, got.Summary())
}

// TestLateControlPlane reads a proxy that had got endpoints right after the change. As long
// as another proxy gets nothing, that says nothing about the change.
func TestLateControlPlane(t *testing.T) {
	t.Parallel()
	old, received := state{listeners: [3]int64{1, 1, 0}}, state{updated: 17, listeners: [3]int64{2, 2, 0}}
	endpoints := state{updated: 0.1, listeners: [3]int64{1, 1, 0}, endpoints: [3]int64{1, 1, 0}}
	progress := rollout.NewProgress(rollout.Change{First: written, Last: written, Delay: 15 * time.Second, Expected: map[string]bool{"web": true, "api": true}})
	for _, c := range []struct {
		at       float64
		web, api state
		want     rollout.Outcome
	}{
		{0, endpoints, old, rollout.Pending},
		{16, endpoints, old, rollout.Pending},
		{18, endpoints, received, rollout.Pending},
		{20, state{updated: 19, listeners: [3]int64{2, 2, 0}, endpoints: [3]int64{1, 1, 0}}, received, rollout.Acknowledged},
		{29, endpoints, received, rollout.Pending},
		{30, endpoints, received, rollout.Acknowledged},
	} {
		at := written.Add(time.Duration(c.at * float64(time.Second)))
		got := progress.Read(rollout.Reading{At: at, Proxies: []rollout.Proxy{c.web.proxy("web"), c.api.proxy("api")}})
		if !slices.Contains(got.Names(c.want), "web") {
			t.Errorf("after %v s: %v, want web in %q", c.at, got.Proxies, c.want)
		}
	}
}

// TestFollow plays readings, one per second.
func TestFollow(t *testing.T) {
	t.Parallel()
	old, received := state{listeners: [3]int64{1, 1, 0}}, state{updated: 1.6, listeners: [3]int64{2, 2, 0}}
	refused := state{updated: 2, listeners: [3]int64{2, 1, 1}}
	for name, c := range map[string]struct {
		second   map[int]state // from this second on
		stop     bool
		timeout  int
		want     rollout.Outcome
		readings int
	}{
		"accepted, shown after 9 s": {map[int]state{0: old, 9: received}, true, 60, rollout.Acknowledged, 16},
		"rejected, shown after 4 s": {map[int]state{0: old, 4: refused}, true, 60, rollout.Rejected, 5},
		"rejected, and not stopped": {map[int]state{0: old, 4: refused}, false, 60, rollout.Rejected, 5},
		"not sent":                  {map[int]state{0: old}, true, 20, rollout.NotSent, 20},
		"slow, answers after 30 s":  {map[int]state{0: old, 2: {updated: 1.6, listeners: [3]int64{2, 1, 0}}, 30: {updated: 29, listeners: [3]int64{2, 2, 0}}}, true, 60, rollout.Acknowledged, 31},
		"goes away after 5 s":       {map[int]state{0: old, 5: {gone: true, connected: 5}}, true, 60, rollout.Disconnected, 6},
	} {
		seconds, readings := -1, 0
		now := old
		read := func(context.Context) (rollout.Reading, error) {
			seconds++
			readings++
			if s, ok := c.second[seconds]; ok {
				now = s
			}
			return rollout.Reading{At: written.Add(time.Duration(seconds) * time.Second), Proxies: []rollout.Proxy{now.proxy("web")}}, nil
		}
		progress := rollout.NewProgress(rollout.Change{First: written, Last: written, Delay: 15 * time.Second, Expected: map[string]bool{"web": true}})
		got, err := progress.Follow(t.Context(), c.stop, read, func(context.Context, rollout.Result) bool { return readings < c.timeout })
		if err != nil || len(got.Proxies[c.want]) != 1 || readings != c.readings {
			t.Errorf("%s: %v after %d readings, error %v; want %q after %d", name, got.Proxies, readings, err, c.want, c.readings)
		}
	}
}

func TestFollowEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	progress := rollout.NewProgress(rollout.Change{First: written, Last: written, Delay: 15 * time.Second})
	_, err := progress.Follow(ctx, true, func(context.Context) (rollout.Reading, error) {
		return rollout.Reading{At: written, Proxies: []rollout.Proxy{state{}.proxy("web")}}, nil
	}, func(context.Context, rollout.Result) bool {
		cancel()
		return true
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestSummaryWithoutConnectedProxies does not call a rollout complete that reached no proxy.
func TestSummaryWithoutConnectedProxies(t *testing.T) {
	t.Parallel()
	r := rollout.Result{Proxies: map[rollout.Outcome][]rollout.Proxy{rollout.Disconnected: {state{gone: true}.proxy("web")}}}
	const want = "No proxy is connected: of 1 proxy, 1 offline.\nOffline: they get the configuration when they connect: web.\n"
	if got := r.Summary(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestProgressSummary(t *testing.T) {
	t.Parallel()
	r := rollout.Result{Proxies: map[rollout.Outcome][]rollout.Proxy{
		rollout.Rejected:     {state{}.proxy("api-1")},
		rollout.Pending:      {state{}.proxy("api-3"), state{}.proxy("api-2")},
		rollout.Acknowledged: {state{}.proxy("web-1"), state{}.proxy("web-2")},
	}}
	want := `The rollout is not complete: of 5 proxies, 1 rejected, 2 pending and 2 acknowledged.
Rejected the configuration, and keep the one that they had; the reason is in the log of the control plane: api-1.
Have not acknowledged it yet: api-2 and api-3.
`
	testworld.Equal(t, "result", strings.Split(want, "\n"), strings.Split(r.Summary(), "\n"))
}

package impact

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// comparison is one run of [Compare].
type comparison struct {
	before, after *side
	types         []string // to look at, in the order in which they are processed
	differences   []difference

	reached []string            // types that may change for all dataplanes
	own     map[string]bool     // dataplanes that are themselves not the same
	routes  map[string][]string // by type: the kinds of routes that its policies refer to
}

// findChanges finds out what may have changed.
func (c *comparison) findChanges() {
	c.differences = differences(c.before, c.after)
	c.own = map[string]bool{}
	reached := map[string]bool{}
	for _, d := range c.differences {
		if d.key.Type == kuma.KindDataplane {
			c.own[d.key.Name] = true
			continue
		}
		for t := range c.dependents(d.key.Type) {
			reached[t] = true
		}
	}
	c.routes = map[string][]string{}
	for _, k := range kinds.Policies() {
		for t := range c.dependents(k.Name) {
			if t != k.Name {
				c.routes[t] = append(c.routes[t], k.Name)
			}
		}
	}
	c.reached = slices.DeleteFunc(slices.Clone(c.types), func(t string) bool { return !reached[t] })
}

// dependents returns the types that depend on a kind on one side or the other.
func (c *comparison) dependents(kind string) map[string]bool {
	out := map[string]bool{}
	for _, s := range []*side{c.before, c.after} {
		for _, t := range s.Dependents(s.mesh, kind) {
			out[t] = true
		}
	}
	return out
}

// typesFor returns the types to compare for a dataplane.
func (c *comparison) typesFor(dataplane string) []string {
	if c.own[dataplane] {
		return c.types
	}
	return c.reached
}

// situation is everything that the comparison of one type depends on.
type situation struct {
	policyType    string
	before, after rules.Profile
	routes        string // the profiles of the kinds of routes that matter
}

// outcome is what happens to the rules of one type in one situation.
type outcome struct {
	once    sync.Once
	changes []Change
	sum     [sha256.Size]byte // the same for equal changes
	causes  map[kuma.Key]bool // the policies that the changes come from
	err     error
}

// outcomes compares the rules of each dataplane, and each situation only once.
// The result holds for each dataplane those that have changes, by type.
func (c *comparison) outcomes(dataplanes []string) ([][]*outcome, error) {
	var known sync.Map // situation -> *outcome
	results := make([][]*outcome, len(dataplanes))
	err := inParallel(len(dataplanes), func(i int) error {
		for _, t := range c.typesFor(dataplanes[i]) {
			at, err := c.situation(dataplanes[i], t)
			if err != nil {
				return err
			}
			found, _ := known.LoadOrStore(at, &outcome{})
			o, _ := found.(*outcome)
			o.once.Do(func() { o.compare(c, dataplanes[i], t) })
			if o.err != nil {
				return o.err
			}
			if len(o.changes) > 0 {
				results[i] = append(results[i], o)
			}
		}
		return nil
	})
	return results, err
}

func (c *comparison) situation(dataplane, policyType string) (situation, error) {
	out := situation{policyType: policyType}
	var err error
	if out.before, err = c.before.profile(dataplane, policyType); err != nil {
		return out, err
	}
	if out.after, err = c.after.profile(dataplane, policyType); err != nil {
		return out, err
	}
	before, err := c.before.profiles(dataplane, c.routes[policyType])
	if err != nil {
		return out, err
	}
	after, err := c.after.profiles(dataplane, c.routes[policyType])
	out.routes = before + after
	return out, err
}

func (o *outcome) compare(c *comparison, dataplane, policyType string) {
	before, err := c.before.view(dataplane, policyType, c.routes[policyType])
	if err != nil {
		o.err = err
		return
	}
	after, err := c.after.view(dataplane, policyType, c.routes[policyType])
	if err != nil {
		o.err = err
		return
	}
	d := newDiffer(policyType, before, after)
	d.compare()
	o.changes, o.causes = d.changes, d.causes
	h := sha256.New()
	for _, change := range o.changes {
		_, _ = fmt.Fprintf(h, "%#v\n", change.identity())
	}
	o.sum = [sha256.Size]byte(h.Sum(nil))
}

// group brings dataplanes together to which the same happens.
func (i *Impact) group(dataplanes []string, outcomes [][]*outcome) {
	at := map[string]int{}
	for n, name := range dataplanes {
		var key strings.Builder
		for _, o := range outcomes[n] {
			key.Write(o.sum[:])
		}
		if len(outcomes[n]) == 0 {
			i.Unchanged = append(i.Unchanged, name)
			continue
		}
		g, ok := at[key.String()]
		if !ok {
			g = len(i.Groups)
			at[key.String()] = g
			i.Groups = append(i.Groups, Group{})
			for _, o := range outcomes[n] {
				i.Groups[g].Changes = append(i.Groups[g].Changes, o.changes...)
			}
		}
		i.Groups[g].Dataplanes = append(i.Groups[g].Dataplanes, name)
	}
}

// inParallel calls do for 0 to n-1 on all cores and returns one of the errors.
// Which calls are still made after an error is not fixed; the error of the
// smallest number is returned among those that were made.
func inParallel(n int, do func(int) error) error {
	errs := make([]error, n)
	var next, failed atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for failed.Load() == 0 {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(1)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

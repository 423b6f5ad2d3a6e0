package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Input identifies what a rule was merged from: the confs of entries of policies, in
// their order. Rules of one type and one list of [PolicyRules] have the same conf if
// they have the same Input, and the same leaves except for the labels of
// policies, also in different snapshots. It is zero for a rule that was not
// returned by a snapshot.
type Input [sha256.Size]byte

// mergeInput is what a rule was merged from, empty for one that was not
// returned by a snapshot. Merging is cheap and most rules are never explained,
// so those that are explained are merged again.
type mergeInput struct {
	kind    *kind
	layers  []*layer
	outline bool // its leaves may share labels with the snapshot
	nth     int  // of the merged confs: that of the rule, unless the rule has all of them
}

// Input returns what the rule was merged from.
func (f mergeInput) Input() Input {
	if len(f.layers) == 0 {
		return Input{}
	}
	var room [64 * (sha256.Size + 16)]byte                // for most rules, on the stack
	text := binary.AppendUvarint(room[:0], uint64(f.nth)) //nolint:gosec // never negative
	for _, l := range f.layers {
		sum := l.conf.sum()
		text = append(append(append(text, l.policy.Name...), 0), sum[:]...) // no name contains 0
		text = binary.AppendUvarint(text, uint64(l.index))                  //nolint:gosec // never negative
		if l.part {
			text = append(text, 0xff)
		}
	}
	return sha256.Sum256(text)
}

// equal reports whether the inputs of two rules are equal and not zero.
func (f mergeInput) equal(o mergeInput) bool {
	return len(f.layers) > 0 && f.nth == o.nth && slices.EqualFunc(f.layers, o.layers, func(a, b *layer) bool {
		return a == b || a.policy.Name == b.policy.Name && a.index == b.index && a.part == b.part && a.conf.sum() == b.conf.sum()
	})
}

// newSum hashes a conf on demand.
func newSum(conf any) func() Input {
	return sync.OnceValue(func() Input {
		text, err := tree.EncodeJSON(conf)
		if err != nil { // of a number that is not valid
			text = fmt.Sprintf("%#v", conf)
		}
		return sha256.Sum256([]byte(text))
	})
}

func (f mergeInput) explain() [][]Leaf {
	if len(f.layers) == 0 {
		return nil
	}
	describe := (*layer).origin
	if !f.outline {
		describe = metas{}.originOf
	}
	if leaves, ok := f.plainLeaves(describe); ok {
		return [][]Leaf{leaves}
	}
	return f.tracedLeaves(describe)
}

// tracedLeaves merges the layers again and records which one sets what.
func (f mergeInput) tracedLeaves(describe func(*layer) Origin) [][]Leaf {
	t := &trace{layers: len(f.layers)}
	f.kind.merge(f.layers, t)
	return t.explain(describe)
}

// Entry is an element of a list of a policy, or its only conf.
type Entry struct {
	Policy kuma.Key
	Index  int // in the list
}

// Entries returns what the rule is merged from, in order of increasing
// precedence. An entry that resolves to the same destination several times
// occurs as often.
func (f mergeInput) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, l := range f.layers {
			if !yield(Entry{l.policy.Key(), l.index}) {
				return
			}
		}
	}
}

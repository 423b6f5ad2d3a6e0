package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// recordWorlds records the golden worlds of a directory again. The worlds of an
// archive that changed are also written to the directory review, as recorded before and
// as answered now, because a diff cannot show them.
func recordWorlds(ctx context.Context, binary, dir, review string) error {
	sets, err := readWorlds(dir)
	if err != nil {
		return err
	}
	var all []*world
	for _, set := range sets {
		all = append(all, set.worlds...)
	}
	for _, round := range rounds(all) {
		fmt.Fprintf(os.Stderr, "record: %d worlds with the zones %q\n", len(round), round[0].Zones)
		if err := recordRound(ctx, binary, round); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(review); err != nil {
		return err
	}
	for _, set := range sets {
		if err := set.write(review); err != nil {
			return err
		}
	}
	return nil
}

// rounds divides worlds into groups that need the same zones, which one deployment can
// store. Worlds of one mesh are one world, seen from several control planes. Worlds with
// random answers are omitted.
func rounds(worlds []*world) [][]*world {
	var rounds [][]*world
	for _, w := range worlds {
		if w.Informational {
			continue
		}
		i := slices.IndexFunc(rounds, func(round []*world) bool { return slices.Equal(round[0].Zones, w.Zones) })
		if i < 0 {
			rounds = append(rounds, nil)
			i = len(rounds) - 1
		}
		rounds[i] = append(rounds[i], w)
	}
	return rounds
}

// recordRound stores worlds and updates them with what the control planes store and answer.
// Rejected resources are missing in the recording.
func recordRound(ctx context.Context, binary string, worlds []*world) error {
	return deployed(ctx, binary, worlds[0].Zones, func(d *oracle.Deployment) error {
		if _, err := d.Store(ctx, writes(d, worlds)); err != nil {
			return err
		}
		got, err := settled(ctx, d, worlds)
		if err != nil {
			return err
		}
		for _, w := range worlds {
			if err := w.update(got[w]); err != nil {
				return fmt.Errorf("world %s: %w", w.Name, err)
			}
			if w.changed() {
				fmt.Fprintf(os.Stderr, "record: world %s changed\n", w.Name)
			}
		}
		return nil
	})
}

// write writes the worlds that changed.
func (set worldSet) write(review string) error {
	files := map[string][]byte{}
	changed := false
	for _, w := range set.worlds {
		for name, data := range w.files {
			files["./"+w.Name+"/"+name] = data
		}
		if !w.changed() {
			continue
		}
		changed = true
		if !set.archived() {
			dir := filepath.Join(set.place, w.Name)
			if err := errors.Join(os.RemoveAll(dir), oracle.WriteFiles(dir, w.files)); err != nil {
				return err
			}
			continue
		}
		for side, files := range map[string]map[string][]byte{"recorded": w.before, "answered": w.files} {
			if err := oracle.WriteFiles(filepath.Join(review, side, w.Name), files); err != nil {
				return err
			}
		}
	}
	if !changed || !set.archived() {
		return nil
	}
	fmt.Fprintf(os.Stderr, "record: %s changed: diff -ru %s/recorded %s/answered\n", set.place, review, review)
	return oracle.WriteArchive(set.place, files)
}

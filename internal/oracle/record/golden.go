package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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
	before := map[*world]map[string][]byte{}
	for _, set := range sets {
		for _, w := range set.worlds {
			all = append(all, w)
			before[w] = w.files
		}
	}
	for _, round := range rounds(all) {
		fmt.Fprintf(os.Stderr, "record: %d worlds with the zones %q\n", len(round), round[0].zones)
		if err := recordRound(ctx, binary, round); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(review); err != nil {
		return err
	}
	for _, set := range sets {
		if err := set.write(before, review); err != nil {
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
		if w.informational {
			continue
		}
		i := slices.IndexFunc(rounds, func(round []*world) bool { return slices.Equal(round[0].zones, w.zones) })
		if i < 0 {
			rounds = append(rounds, nil)
			i = len(rounds) - 1
		}
		rounds[i] = append(rounds[i], w)
	}
	return rounds
}

// recordRound stores worlds and updates them with what the control planes store and answer.
func recordRound(ctx context.Context, binary string, worlds []*world) error {
	if len(worlds[0].zones) == 0 {
		return onZone(ctx, binary, func(s *server) error {
			return recordTogether(ctx, &sites{all: []*server{s}}, worlds)
		})
	}
	return onZones(ctx, binary, worlds[0].zones, func(global *server, zones map[string]*server) error {
		d := &sites{all: []*server{global}, zones: zones}
		for _, zone := range worlds[0].zones {
			d.all = append(d.all, zones[zone])
		}
		return recordTogether(ctx, d, worlds)
	})
}

func recordTogether(ctx context.Context, d *sites, worlds []*world) error {
	if err := d.store(ctx, worlds); err != nil {
		return err
	}
	got, err := d.settled(ctx, worlds)
	if err != nil {
		return err
	}
	for _, w := range worlds {
		changed, err := w.update(got[w].stored, got[w].answers)
		if err != nil {
			return fmt.Errorf("world %s: %w", w.name, err)
		}
		if changed {
			fmt.Fprintf(os.Stderr, "record: world %s changed\n", w.name)
		}
	}
	return nil
}

// write writes the worlds that changed.
func (set worldSet) write(before map[*world]map[string][]byte, review string) error {
	files := map[string][]byte{}
	changed := false
	for _, w := range set.worlds {
		for name, data := range w.files {
			files["./"+w.name+"/"+name] = data
		}
		if maps.EqualFunc(before[w], w.files, slices.Equal) {
			continue
		}
		changed = true
		if !set.archived() {
			if err := writeFiles(filepath.Join(set.place, w.name), before[w], w.files); err != nil {
				return err
			}
			continue
		}
		for side, files := range map[string]map[string][]byte{"recorded": before[w], "answered": w.files} {
			if err := writeFiles(filepath.Join(review, side, w.name), nil, files); err != nil {
				return err
			}
		}
	}
	if !changed || !set.archived() {
		return nil
	}
	fmt.Fprintf(os.Stderr, "record: %s changed: diff -ru %s/recorded %s/answered\n", set.place, review, review)
	return testworld.WriteArchive(set.place, files)
}

// writeFiles replaces the files of a world.
func writeFiles(dir string, before, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name := range before {
		if _, ok := files[name]; !ok {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// notAnswer is recorded if a control plane does not return rules.
func notAnswer(got answer) any {
	return object{"status": json.Number(strconv.Itoa(got.status)), "body": got.body}
}

// normalAnswer returns the rules of a dataplane in normal form.
func normalAnswer(got answer) any {
	if got.status != http.StatusOK {
		return notAnswer(got)
	}
	return testworld.NormalAnswer(got.body)
}

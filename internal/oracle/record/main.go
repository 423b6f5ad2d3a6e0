// Command record records the answers of control planes that tests compare with:
// golden worlds, verdicts about documents and single fields, and exchanges that the
// embedded control plane replays. It starts the control planes itself. It also reads
// the fields of a release from the schemas that Kuma publishes.
//
//	go run ./internal/oracle/record -cp /usr/local/bin/kuma-cp
//	go run ./internal/oracle/record -cp /usr/local/bin/kuma-cp -only rest
//	go run ./internal/oracle/record -schemas openapi.yaml -release 2.14
//
// Requests stay as they are recorded; only the answers are replaced. Values that differ
// each time, such as times and identifiers, keep their recorded form, so that the files
// change only where the control plane does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

func main() { oracle.Main("record", run) }

// recorders are the values of -only, in the order in which they run.
var recorders = []struct {
	name   string
	record func(ctx context.Context, binary string, release kuma.Release) error
}{
	{"golden", recordGolden},
	{"releases", recordRelease},
	{"verdicts", recordVerdicts},
	{"rest", recordREST},
	{"fields", recordFields},
}

func run(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	binary := flags.String("cp", "", "path of kuma-cp")
	schemas := flags.String("schemas", "", "path of the OpenAPI document of the release -release, to read instead of asking a control plane")
	of := flags.String("release", "", "release of -schemas, as in 2.14")
	only := flags.String("only", "", "what to record: golden, releases, verdicts, rest or fields; everything when empty")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *schemas != "" {
		return recordSchema(*schemas, kuma.ParseRelease(*of))
	}
	if *binary == "" {
		return errors.New("-cp must name a kuma-cp")
	}
	var release kuma.Release
	err := deployed(ctx, *binary, nil, func(d *oracle.Deployment) error {
		release = d.Sites[0].Info.Release
		return nil
	})
	if err != nil {
		return err
	}
	known := *only == ""
	for _, r := range recorders {
		if *only != "" && *only != r.name {
			continue
		}
		known = true
		if err := r.record(ctx, *binary, release); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	if !known {
		return fmt.Errorf("-only must be golden, releases, verdicts, rest or fields, not %q", *only)
	}
	return nil
}

// recordGolden records the golden worlds. They are for Kuma 2.
func recordGolden(ctx context.Context, binary string, release kuma.Release) error {
	if release.Kuma3() {
		return nil
	}
	return recordWorlds(ctx, binary, "internal/rules/testdata/golden", ".build/record")
}

// recordRelease records the worlds of a release, if it has some.
func recordRelease(ctx context.Context, binary string, release kuma.Release) error {
	dir := filepath.Join("internal/rules/testdata/releases", release.String())
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return recordWorlds(ctx, binary, dir, ".build/record")
}

// recordREST records the exchanges of the major release.
func recordREST(ctx context.Context, binary string, release kuma.Release) error {
	dir := "internal/embedded/testdata/rest"
	if release.Kuma3() {
		dir += "/3.0"
	}
	return deployed(ctx, binary, nil, func(d *oracle.Deployment) error {
		// The mesh that a control plane creates itself lacks labels.
		if got, err := d.Sites[0].PutDocument(ctx, recordedMesh("default")); err != nil || !got.Accepted() {
			return errors.Join(err, fmt.Errorf("update the mesh \"default\": status %d", got.Status))
		}
		return recordExchanges(ctx, d.Sites[0], dir)
	})
}

// verdicts is where the verdicts about documents are.
const verdicts = "internal/kinds/testdata"

func recordVerdicts(ctx context.Context, binary string, release kuma.Release) error {
	const examples = verdicts + "/catalog/examples"
	if release.Kuma3() {
		return deployed(ctx, binary, nil, func(d *oracle.Deployment) error {
			return recordWrites(ctx, d.Sites[0], verdicts+"/3.0/writes.json", computed...)
		})
	}
	err := deployed(ctx, binary, nil, func(d *oracle.Deployment) error {
		return errors.Join(recordExamples(ctx, d.Sites[0], examples), recordInvalid(ctx, d.Sites[0], verdicts+"/catalog/invalid"))
	})
	if err != nil {
		return err
	}
	return deployed(ctx, binary, nil, func(d *oracle.Deployment) error {
		zone := d.Sites[0]
		err := errors.Join(
			recordWrites(ctx, zone, verdicts+"/writes.json"),
			recordWrites(ctx, zone, verdicts+"/field_rules.json", computed...),
		)
		if err != nil {
			return err
		}
		return deployed(ctx, binary, []string{"east"}, func(d *oracle.Deployment) error {
			sites := map[string]*oracle.Site{"zone": zone, "global": d.Sites[0], "federated zone": d.Zone("east")}
			return recordLabels(ctx, sites, verdicts+"/labels.json", examples, func() error { return d.AwaitMesh(ctx, labelMesh) })
		})
	})
}

// deployed calls f with a global control plane and its zones, or with one of the zone zone-1.
func deployed(ctx context.Context, binary string, zones []string, f func(*oracle.Deployment) error) error {
	d, err := oracle.Deploy(ctx, binary, zones)
	if err != nil {
		return err
	}
	return errors.Join(f(d), d.Stop())
}

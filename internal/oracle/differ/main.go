// Command differ compares the matching engine with a real control plane on random
// worlds. It starts a kuma-cp, stores worlds as meshes, requests the rules of every
// Dataplane, and compares the answers with those of the engine, for the resources as
// they are stored and as they were sent. On 2.14, it also compares the answers about
// single ports, destinations and routes. A world that differs is shrunk and written in
// the format of the golden worlds.
//
//	go run ./internal/oracle/differ -cp /usr/local/bin/kuma-cp -worlds 300 -seed 1
//
// With -terraform it applies each world with Terraform and the provider instead, and
// compares the results of the data source kuma_effective_rules before and after.
//
// With -upgrades it rewrites random worlds for Kuma 3.0. What proxies get must be the same
// before and after stage one on 2.14, and what the engine predicts for stage two on 3.0.
//
// With -verdicts it compares the validation of single documents, valid and invalid
// ones.
//
// It exits with status 1 if anything differs. With RECORD=1 in the environment, it writes the
// counts to internal/oracle/results.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

func main() { oracle.Main("differ", run) }

// resultsFile is the table of results, relative to the root of the repository.
const resultsFile = "internal/oracle/results.md"

// settings are the command line.
type settings struct {
	binary  string
	worlds  int
	seed    uint64
	zones   int
	out     string
	shrinks int

	verdicts int
	upgrades int
	binary3  string

	terraform string
	provider  string
}

func run(ctx context.Context, arguments []string) error {
	var s settings
	flags := flag.NewFlagSet("differ", flag.ContinueOnError)
	flags.StringVar(&s.binary, "cp", "", "path of kuma-cp")
	flags.IntVar(&s.worlds, "worlds", 100, "number of worlds")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of the first world; the next ones follow")
	flags.IntVar(&s.zones, "zones", 0, "number of zones of a global control plane; 0 starts a standalone zone instead")
	flags.StringVar(&s.out, "out", ".build/differ", "directory for worlds that differ")
	flags.IntVar(&s.shrinks, "shrink", 10, "number of worlds to shrink")
	flags.IntVar(&s.verdicts, "verdicts", 0, "number of documents whose verdicts to compare, instead of worlds")
	flags.IntVar(&s.upgrades, "upgrades", 0, "number of worlds to rewrite for Kuma 3.0, instead of comparing worlds")
	flags.StringVar(&s.binary3, "cp3", "", "path of a kuma-cp of Kuma 3.0, to write the rewritten worlds to")
	flags.StringVar(&s.terraform, "terraform", "", "path of terraform or tofu, to send worlds through the provider")
	flags.StringVar(&s.provider, "provider", ".build", "directory of the provider that Terraform runs")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if s.binary == "" || s.zones < 0 || s.zones > len(zoneNames) {
		return fmt.Errorf("-cp must name a kuma-cp, and -zones must be at most %d", len(zoneNames))
	}
	if s.terraform != "" && s.zones > 0 {
		return errors.New("-terraform conflicts with -zones")
	}
	began := time.Now()
	d, err := oracle.Deploy(ctx, s.binary, zoneNames[:s.zones])
	if err != nil {
		return err
	}
	var found oracle.Result
	switch {
	case s.verdicts > 0:
		found, err = compareVerdicts(ctx, d.Sites[0], s)
	case s.upgrades > 0:
		found, err = compareUpgrades(ctx, d, s)
	case s.terraform != "":
		found, err = compareThroughProvider(ctx, d, s)
	default:
		found, err = compareWorlds(ctx, d, s)
	}
	if err = errors.Join(err, d.Stop()); err != nil {
		return err
	}
	found.Command, found.Release, found.Began = s.command(), d.Sites[0].Version(), began
	if err = found.Record(resultsFile); err == nil && found.Different > 0 {
		err = oracle.ExitStatus(1)
	}
	return err
}

// command returns what repeats the comparison.
func (s settings) command() string {
	text := "make differ"
	switch {
	case s.verdicts > 0:
		text += fmt.Sprintf(" VERDICTS=%d", s.verdicts)
	case s.upgrades > 0:
		text += fmt.Sprintf(" UPGRADE=%d", s.upgrades)
	default:
		text += fmt.Sprintf(" WORLDS=%d", s.worlds)
	}
	if s.binary3 != "" {
		text += " KUMA3_CP=…"
	}
	if s.zones > 0 {
		text += fmt.Sprintf(" ZONES=%d", s.zones)
	}
	if s.terraform != "" {
		text += " PROVIDER=1"
	}
	return text + fmt.Sprintf(" SEED=%d", s.seed)
}

var zoneNames = []string{"east", "west"}

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
// With -verdicts it compares the validation of single documents, valid and invalid
// ones.
//
// It exits with status 1 if anything differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	equal, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "differ:", err)
	}
	if err != nil || !equal {
		os.Exit(1)
	}
}

// settings are the command line.
type settings struct {
	binary  string
	worlds  int
	seed    uint64
	zones   int
	out     string
	shrinks int

	verdicts int

	terraform string
	provider  string
}

func run(ctx context.Context, arguments []string) (equal bool, err error) {
	var s settings
	flags := flag.NewFlagSet("differ", flag.ContinueOnError)
	flags.StringVar(&s.binary, "cp", "", "path of kuma-cp")
	flags.IntVar(&s.worlds, "worlds", 100, "number of worlds")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of the first world; the next ones follow")
	flags.IntVar(&s.zones, "zones", 0, "number of zones of a global control plane; 0 starts a standalone zone instead")
	flags.StringVar(&s.out, "out", ".build/differ", "directory for worlds that differ")
	flags.IntVar(&s.shrinks, "shrink", 10, "number of worlds to shrink")
	flags.IntVar(&s.verdicts, "verdicts", 0, "number of documents whose verdicts to compare, instead of worlds")
	flags.StringVar(&s.terraform, "terraform", "", "path of terraform or tofu, to send worlds through the provider")
	flags.StringVar(&s.provider, "provider", ".build", "directory of the provider that Terraform runs")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	if s.binary == "" || s.zones < 0 || s.zones > len(zoneNames) {
		return false, fmt.Errorf("-cp must name a kuma-cp, and -zones must be at most %d", len(zoneNames))
	}
	if s.terraform != "" && s.zones > 0 {
		return false, errors.New("-terraform conflicts with -zones")
	}
	d, err := startDeployment(ctx, s)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	switch {
	case s.verdicts > 0:
		return compareVerdicts(ctx, d.sites[0], s)
	case s.terraform != "":
		return compareThroughProvider(ctx, d, s)
	default:
		return compareWorlds(ctx, d, s)
	}
}

// noGeneratedServices prevents a control plane from generating a MeshService for each
// kuma.io/service tag, because such a service is not part of a plan.
const noGeneratedServices = "KUMA_MESH_SERVICE_GENERATION_INTERVAL=24h"

var zoneNames = []string{"east", "west"}

// startDeployment starts the control planes: one, or a global one with zones.
func startDeployment(ctx context.Context, s settings) (d *deployment, err error) {
	d = &deployment{}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.stop())
		}
	}()
	start := func(o oracle.Options) (*oracle.ControlPlane, error) {
		o.Binary = s.binary
		if s.terraform != "" {
			o.Env = append(o.Env, noGeneratedServices)
		}
		cp, err := oracle.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		d.running = append(d.running, cp)
		site, err := connect(ctx, cp.Endpoint)
		d.sites = append(d.sites, site)
		return cp, err
	}
	if s.zones == 0 {
		_, err = start(oracle.Options{})
		return d, err
	}
	global, err := start(oracle.Options{Mode: "global"})
	for _, zone := range zoneNames[:s.zones] {
		if err == nil {
			_, err = start(oracle.Options{Zone: zone, Global: global})
		}
	}
	return d, err
}

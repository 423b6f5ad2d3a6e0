// Command run runs a command with a new control plane: it starts the kuma-cp of
// -cp, sets KUMA_ENDPOINT to its address, and stops it when the command has ended.
// With -joined, it also starts a global control plane and a zone that belongs to it,
// at KUMA_GLOBAL_ENDPOINT and KUMA_ZONE_ENDPOINT. It exits with the status of the command.
// With -record, and RECORD=1 in the environment, it writes how many tests ran and were skipped
// to internal/oracle/results.md, as the result of the command with that name.
//
//	go run ./internal/oracle/run -cp /usr/local/bin/kuma-cp -- go test ./internal/provider
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// interruptGrace is how long a command may take to end after an interrupt.
const interruptGrace = 10 * time.Second

func main() { oracle.Main("run", run) }

func run(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	options := oracle.Options{}
	flags.StringVar(&options.Binary, "cp", "", "path of kuma-cp")
	flags.StringVar(&options.Mode, "mode", "", "zone or global; a zone by default")
	joined := flags.Bool("joined", false, "also start a global control plane and a zone that belongs to it")
	record := flags.String("record", "", "name of the tests that gotestsum runs, in the table of results")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if options.Binary == "" || flags.NArg() == 0 {
		return errors.New("usage: run -cp PATH [-mode zone|global] [-joined] -- COMMAND [ARGUMENT…]")
	}
	began := time.Now()
	cp, err := oracle.Start(ctx, options)
	if err != nil {
		return err
	}
	environment := append(os.Environ(), "KUMA_ENDPOINT="+cp.Endpoint)
	both := &oracle.Deployment{}
	if *joined {
		if both, err = oracle.Deploy(ctx, options.Binary, []string{"east"}); err != nil {
			return errors.Join(err, cp.Stop())
		}
		environment = append(environment, "KUMA_GLOBAL_ENDPOINT="+both.Sites[0].Endpoint, "KUMA_ZONE_ENDPOINT="+both.Zone("east").Endpoint)
	}
	command := exec.CommandContext(ctx, flags.Arg(0), flags.Args()[1:]...)
	command.Env = environment
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = interruptGrace
	var output bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, io.MultiWriter(os.Stdout, &output), os.Stderr
	err = command.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		err = oracle.ExitStatus(exit.ExitCode())
	}
	if *record != "" {
		found, failure := count(output.String())
		if found.Command, found.Release, found.Began = *record, cp.Version(), began; failure == nil {
			failure = found.Record("internal/oracle/results.md")
		}
		err = errors.Join(err, failure)
	}
	return errors.Join(err, both.Stop(), cp.Stop())
}

// summary is the line with which gotestsum ends.
var summary = regexp.MustCompile(`(?m)^DONE (\d+ tests(?:, \d+ skipped)?)(?:, (\d+) failures?)?`)

// count returns the numbers of tests in the output of gotestsum.
func count(output string) (oracle.Result, error) {
	m := summary.FindStringSubmatch(output)
	if m == nil {
		return oracle.Result{}, errors.New("the output has no summary of gotestsum to record")
	}
	failed, _ := strconv.Atoi(m[2]) // zero if none is named
	return oracle.Result{Compared: m[1], Different: failed}, nil
}

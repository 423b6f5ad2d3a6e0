package oracle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// ExitStatus is the error of a command that has already told why it fails.
type ExitStatus int

// Error implements error.
func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Main runs a command with the arguments of the process until an interrupt. If it fails, it
// exits with the [ExitStatus], or with a message and status 1.
func Main(name string, run func(ctx context.Context, arguments []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if status, ok := errors.AsType[ExitStatus](err); ok {
		os.Exit(int(status))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

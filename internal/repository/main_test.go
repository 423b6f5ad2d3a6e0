package repository

import (
	"context"
	"log"
	"os"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/command"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// asCommand makes the test binary behave as the binary of the provider.
const asCommand = "KUMA_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(command.Run(context.Background(), "dev", os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if err := os.Chdir(testworld.Path()); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

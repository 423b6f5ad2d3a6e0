// Command terraform-provider-kuma serves the Terraform provider for Kuma.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
)

// version is set when a release is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger instead of being started by Terraform")
	flag.Parse()
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/kuma-universal/kuma",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}

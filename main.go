// Command terraform-provider-kuma serves the Terraform provider for Kuma.
package main

import (
	"flag"
	"log"
	gc "runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
)

// version is set when a release is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger instead of being started by Terraform")
	flag.Parse()
	if err := serve(*debug); err != nil {
		log.Fatal(err)
	}
}

func serve(debug bool) error {
	if err := provider.SilenceLibraryLogs(); err != nil {
		return err
	}
	gc.SetGCPercent(200) // with a thousand resources a seventh less time, for 15 MB
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	return tf6server.Serve("registry.terraform.io/kuma-universal/kuma", provider.NewServer(version), options...)
}

package functions

import (
	_ "embed"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)

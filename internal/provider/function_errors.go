package provider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// argumentError reports what is wrong with the only argument of a function.
// Terraform puts a sentence around the text, and a period behind it.
func argumentError(err error) *function.FuncError { return argumentErrorAt(0, phrase.Sentence(err)) }

// argumentErrorAt does the same for a function with several arguments.
func argumentErrorAt(position int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(position, strings.TrimSuffix(text, "."))
}

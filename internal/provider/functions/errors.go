package functions

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// argumentError reports a problem with the only argument of a function. Terraform
// adds a period to the text.
func argumentError(err error) *function.FuncError { return argumentErrorAt(0, phrase.Sentence(err)) }

// argumentErrorAt does the same for a function with several arguments.
func argumentErrorAt(position int64, text string) *function.FuncError {
	return function.NewArgumentFuncError(position, beforePeriod(text))
}

// callError reports an error that is not about an argument. Terraform adds a period
// to it too.
func callError(err error) *function.FuncError {
	return function.NewFuncError(beforePeriod(phrase.Sentence(err)))
}

// beforePeriod ends a text so that a period can follow: without one, and with a
// suggestion in parentheses.
func beforePeriod(text string) string {
	const question = " Did you mean "
	if i := strings.LastIndex(text, question); i >= 0 && strings.HasSuffix(text, "?") {
		return strings.TrimSuffix(text[:i], ".") + " (did you mean " + text[i+len(question):] + ")"
	}
	return strings.TrimSuffix(text, ".")
}

package functions

import (
	"context"
	_ "embed"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// All returns the constructors of the functions.
func All() []func() function.Function {
	return []func() function.Function{
		accessFunction, decodeDocumentsFunction, effectiveRulesFunction, meshLintFunction, policyImpactFunction, encodeDocumentFunction,
		encodeResourceFunction, encodeResourcesFunction, kriFunction, parseKRIFunction, requestFunction, sniFunction, upgradeDocumentsFunction,
	}
}

// providerFunction implements [function.Function].
type providerFunction struct {
	name       string
	run        func(context.Context, function.RunRequest, *function.RunResponse)
	definition function.Definition
}

func (f providerFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f providerFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = f.definition
}

func (f providerFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	f.run(ctx, req, resp)
}

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

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)

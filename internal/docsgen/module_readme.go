package main

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// moduleReadmes matches the pages of the example modules.
const moduleReadmes = "examples/modules/*/README.md"

// moduleReadme returns the page of a module with the lists of its inputs and
// outputs written from its variables and outputs.
func moduleReadme(root fs.FS, file string) ([]byte, error) {
	page, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := writeInputs(&b, root, path.Join(path.Dir(file), "variables.tf")); err != nil {
		return nil, err
	}
	if err := writeOutputs(&b, root, path.Join(path.Dir(file), "outputs.tf")); err != nil {
		return nil, err
	}
	return replaceSection(page, file, "inputs and outputs", b.String())
}

// writeInputs writes a section about each variable of a file, in its order.
func writeInputs(b *strings.Builder, root fs.FS, file string) error {
	source, blocks, err := configurationBlocks(root, file)
	if err != nil {
		return err
	}
	b.WriteString("\n## Inputs\n")
	for _, block := range blocks {
		description, err := stringArgument(block, "description")
		if err != nil {
			return err
		}
		value, optional := block.Body.Attributes["default"]
		heading := "required"
		if optional {
			heading = "optional"
		}
		fmt.Fprintf(b, "\n### `%s` (%s)\n\n%s\n", block.Labels[0], heading, description)
		if typ, ok := block.Body.Attributes["type"]; ok {
			fmt.Fprintf(b, "\n```hcl\n%s\n```\n", expressionText(source, typ.Expr))
		}
		if optional {
			fmt.Fprintf(b, "\nDefault: `%s`.\n", strings.Join(strings.Fields(expressionText(source, value.Expr)), " "))
		}
		if err := writeValidations(b, block); err != nil {
			return err
		}
	}
	return nil
}

// writeValidations lists the error messages of the validations of a variable.
func writeValidations(b *strings.Builder, variable *hclsyntax.Block) error {
	first := true
	for _, block := range variable.Body.Blocks {
		if block.Type != "validation" {
			continue
		}
		message, err := stringArgument(block, "error_message")
		if err != nil {
			return err
		}
		if first {
			b.WriteString("\n")
			first = false
		}
		fmt.Fprintf(b, "- %s\n", message)
	}
	return nil
}

// writeOutputs writes a table of the outputs of a file.
func writeOutputs(b *strings.Builder, root fs.FS, file string) error {
	_, blocks, err := configurationBlocks(root, file)
	if err != nil {
		return err
	}
	b.WriteString("\n## Outputs\n\n| Name | Description |\n| --- | --- |\n")
	for _, block := range blocks {
		description, err := stringArgument(block, "description")
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", block.Labels[0], description)
	}
	b.WriteString("\n")
	return nil
}

// configurationBlocks returns the text of a Terraform file and its blocks.
func configurationBlocks(root fs.FS, file string) ([]byte, hclsyntax.Blocks, error) {
	source, err := fs.ReadFile(root, file)
	if err != nil {
		return nil, nil, err
	}
	parsed, diags := hclsyntax.ParseConfig(source, file, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	body, _ := parsed.Body.(*hclsyntax.Body)
	return source, body.Blocks, nil
}

// stringArgument returns an argument that must be a literal string.
func stringArgument(block *hclsyntax.Block, name string) (string, error) {
	argument, ok := block.Body.Attributes[name]
	if !ok {
		return "", fmt.Errorf("%s: %s has no %s", block.TypeRange, block.Type, name)
	}
	value, diags := argument.Expr.Value(nil)
	if diags.HasErrors() {
		return "", diags
	}
	if value.Type() != cty.String {
		return "", fmt.Errorf("%s: %s must be a string", argument.SrcRange, name)
	}
	return value.AsString(), nil
}

// expressionText returns the source of an expression without the indentation of
// its block.
func expressionText(source []byte, expression hclsyntax.Expression) string {
	const indentation = "\n  "
	return strings.ReplaceAll(string(expression.Range().SliceBytes(source)), indentation, "\n")
}

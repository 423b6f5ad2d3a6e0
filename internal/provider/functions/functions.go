package functions

import "github.com/hashicorp/terraform-plugin-framework/function"

// All returns the constructors of the functions.
func All() []func() function.Function {
	return []func() function.Function{
		func() function.Function { return decodeDocumentsFunction{} },
		func() function.Function { return effectiveRulesFunction{} },
		func() function.Function { return meshLintFunction{} },
		func() function.Function { return policyImpactFunction{} },
		func() function.Function { return encodeDocumentFunction{} },
		func() function.Function { return encodeResourceFunction{} },
		func() function.Function { return encodeResourcesFunction{} },
		func() function.Function { return kriFunction{} },
		func() function.Function { return parseKRIFunction{} },
		func() function.Function { return sniFunction{} },
	}
}

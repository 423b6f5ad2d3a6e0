// Package analysis contains the data sources of the analyses, such as kuma_effective_rules. It
// reads their arguments, and what the control plane stores, and reports problems on the arguments.
// Packages analysis/input and analysis/answer do the rest, as for the functions with the same names.
package analysis

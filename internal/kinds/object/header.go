package object

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Limits of headers that the schema sets.
const (
	maxHeaders    = 16
	maxHeaderName = 256
)

// HeaderName is the name of a header.
var HeaderName = def.String.Required("name",
	"Name of the header.", def.Length(1, maxHeaderName), def.Pattern(regexp.MustCompile("^[a-z0-9!#$%&'*+\\-.^_`|~]+$"),
		"A header name must consist of lowercase letters, digits and marks such as \"-\"."))

// HeaderMatch is a condition on a header.
var HeaderMatch = def.Object{
	{
		Name: "type", Type: def.String, OneOf: []string{"Exact", "Present", check.TypeRegex, "Absent", "Prefix"}, Default: "Exact",
		Doc: "How to match the value. `Present` and `Absent` only check whether the header exists.",
	},
	HeaderName,
	{
		Name: "value", Type: def.String, DropsEmpty: kuma.Always(),
		Doc: "Value, prefix or RE2 regular expression, depending on `type`. Not allowed with `Present` and `Absent`.",
	},
}

// NewHeaders are headers to set in a request or a response.
var NewHeaders = def.Object{
	headerValues("set", "Headers to set. Replaces existing headers with the same name."),
	headerValues("add", "Headers to add. Keeps existing headers with the same name."),
}

// HeaderChanges are changes of the headers of a request or a response.
var HeaderChanges = append(NewHeaders[:2:2], def.Field{
	Name: "remove", Type: def.List{Elem: def.String}, DropsEmpty: kuma.Before("2.10"), Checks: def.Checks(def.Items(0, maxHeaders)),
	Doc: "Names of headers to remove.",
})

func headerValues(name, doc string) def.Field {
	return def.Field{
		Name: name, Doc: doc, DropsEmpty: kuma.Before("2.10"), Checks: def.Checks(def.Items(0, maxHeaders)),
		Type: def.List{Elem: def.Object{
			HeaderName,
			def.String.Required("value", "Value of the header. Separate several values by commas."),
		}},
	}
}

// HeaderChangeRules are the rules for [HeaderChanges].
var HeaderChangeRules = def.Checks(def.AnyOf("set", "add", "remove"), headersOnce)

// headersOnce checks that each header is changed only once: the changes are not
// made in the order of the document, so two of the same header would be
// ambiguous.
var headersOnce = def.Check{
	Doc: "Each header can occur only once across the three lists.",
	Test: func(n tree.Node) []def.Problem {
		names := slices.Concat(n.Find("set[].name"), n.Find("add[].name"), n.Get("remove").Items())
		return def.Repeated(names, tree.Node.Text, func(name tree.Node, s string) def.Problem {
			return def.ErrorAt(name, "Duplicate header",
				fmt.Sprintf("%q already occurs in \"set\", \"add\" or \"remove\". Remove one of the changes.", s))
		})
	},
}

// comparesWithValue warns about a condition that compares a header with
// nothing.
var comparesWithValue = def.Check{Test: func(n tree.Node) []def.Problem {
	kind := n.Get("type")
	s, ok := kind.Text()
	value := n.Get("value")
	return def.WarningIf(value.Empty() && s != "Present" && s != "Absent" && (ok || kind.Absent()), value, "Missing header value",
		"The condition has no value. Set a value, or use the type Present or Absent.")
}}

// HeaderMatchRules are the rules for a list of [HeaderMatch].
var HeaderMatchRules = def.Checks(def.Each(check.RegexCompiles(check.TypeRegex, "value"), comparesWithValue))

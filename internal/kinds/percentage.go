package kinds

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// percentage checks a share in percent, which is a number or the text of one.
var percentage = spec.Check{
	Doc: "From 0 to 100.",
	Test: func(n spec.Node) []spec.Problem {
		text := ""
		switch v := n.Value().(type) {
		case json.Number:
			text = v.String()
		case string:
			text = v
		default:
			return nil
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil && f >= 0 && f <= 100 {
			return nil
		}
		return []spec.Problem{n.Problem("Not a percentage", fmt.Sprintf("%q is no percentage: give a number from 0 to 100.", text))}
	},
}

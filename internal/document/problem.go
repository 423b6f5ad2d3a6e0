package document

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Problem is something that is wrong with a document.
type Problem struct {
	def.Problem
	Number int      // of the document in its stream, from 1; 0 when it was given decoded
	Key    kuma.Key // of the resource; the zero value when the document does not identify one
}

func (p Problem) Error() string {
	var at []string
	if p.Key != (kuma.Key{}) {
		at = append(at, p.Key.String())
	}
	if len(p.Path) > 0 {
		at = append(at, p.Path.String())
	}
	text := p.Detail
	if at != nil {
		text = strings.Join(at, ", ") + ": " + text
	}
	if p.Number > 0 {
		text = fmt.Sprintf("document %d: %s", p.Number, text)
	}
	return text
}

package embedded

import (
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// route holds the operations of one URL by method.
type route map[string]operation

// operation handles a request that has passed the router. Errors without a title of their own
// get its title.
type operation struct {
	title string
	run   func(r *http.Request) (status int, body any, err error)
}

func (r route) allow() string {
	return strings.Join(slices.Sorted(maps.Keys(r)), ", ")
}

// meshesPath precedes the name of a mesh in the URLs of its resources.
const meshesPath = "meshes"

// route returns the operations of a path; false if the contract has no such path, or
// no such kind.
func (s *Server) route(path string) (route, bool) {
	steps := strings.Split(strings.Trim(path, "/"), "/")
	if read, ok := s.discovery()[steps[0]]; ok && len(steps) == 1 {
		return route{http.MethodGet: read}, true
	}
	if issue, ok := s.tokenOperations()[strings.Join(steps, "/")]; ok {
		return route{http.MethodPost: issue}, true
	}
	mesh := ""
	inMesh := len(steps) > 2 && steps[0] == meshesPath
	if inMesh {
		mesh, steps = steps[1], steps[2:]
	}
	i := slices.IndexFunc(s.kinds, func(k def.Kind) bool { return k.Path == steps[0] })
	if i < 0 || inMesh && s.kinds[i].Scope != def.InMesh {
		return nil, false
	}
	kind := s.kinds[i]
	switch {
	case len(steps) == 1:
		return collection{s, kind, mesh, encodeDocument}.route(), true
	case len(steps) == 2 && steps[1] == overviewPath && overviewed(kind) && (!inMesh || kind.Scope == def.InMesh):
		return collection{s, kind, mesh, encodeOverview}.route(), true
	case len(steps) == 3 && steps[2] == configPath && kind.Name == kinds.Dataplane.Name && inMesh:
		return item{s, kind, mesh, steps[1]}.config(), true
	case len(steps) == 2 && inMesh == (kind.Scope == def.InMesh):
		return item{s, kind, mesh, steps[1]}.route(), true
	default:
		return nil, false
	}
}

// refuse writes an error of the router, which is plain text.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "%d: %s", status, text) // the client may have disconnected
}

const mediaJSON = "application/json"

func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && t == mediaJSON
}

func acceptsJSON(h http.Header) bool {
	accepted := h.Values("Accept")
	if len(accepted) == 0 {
		return true
	}
	for t := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		t, _, _ = strings.Cut(t, ";")
		if t = strings.TrimSpace(t); t == mediaJSON || t == "*/*" {
			return true
		}
	}
	return false
}

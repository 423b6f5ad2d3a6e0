package embedded

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// collection is all resources of a kind, in one mesh, or in all meshes when mesh is
// empty.
type collection struct {
	*Server
	kind   def.Kind
	mesh   string
	encode func(def.Kind, kuma.Resource) object // a resource as an item
}

func (c collection) route() route {
	return route{http.MethodGet: {"Could not retrieve resources", c.list}}
}

// page is the response to a list.
type page struct {
	Total int      `json:"total"`
	Items []object `json:"items"`
	Next  *string  `json:"next"`
}

func (c collection) list(r *http.Request) (int, any, error) {
	query := r.URL.Query()
	size, err := pageSize(query.Get("size"))
	if err != nil {
		return 0, nil, err
	}
	labels, err := c.labelFilter(query)
	if err != nil {
		return 0, nil, err
	}
	entries, err := c.entries()
	if err != nil {
		return 0, nil, err
	}
	offset, err := pageOffset(query.Get("offset"))
	if err != nil {
		return 0, nil, err
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool { return !strings.Contains(e.name, query.Get("name")) })
	total := len(entries)
	if len(labels) == 0 { // only the files contain the labels
		entries = pageOf(entries, offset, size)
	}
	resources, err := c.loadAll(entries)
	if err != nil {
		return 0, nil, err
	}
	gone := 0 // resources of the page that were deleted since: total and next are without them
	if len(labels) == 0 {
		gone = len(entries) - len(resources)
		total -= gone
	} else {
		resources = slices.DeleteFunc(resources, func(r kuma.Resource) bool { return !kuma.HasAll(r.Labels, labels) })
		total = len(resources)
		resources = pageOf(resources, offset, size)
	}
	answer := page{Total: total, Items: phrase.Each(resources, func(r kuma.Resource) object { return c.encode(c.kind, r) })}
	if offset < total+gone-size {
		answer.Next = next(r, query, offset+size-gone)
	}
	return http.StatusOK, answer, nil
}

// pageOf returns the part of a list that begins at offset.
func pageOf[E any](list []E, offset, size int) []E {
	list = list[min(offset, len(list)):]
	return list[:min(size, len(list))]
}

// entry is a resource of a collection that has not been read.
type entry struct {
	mesh kuma.Resource // the zero value outside meshes
	name string
}

// entries returns what is in the collection, sorted by mesh and name.
func (c collection) entries() ([]entry, error) {
	if c.kind.Scope == def.Global {
		return c.entriesIn(kuma.Resource{})
	}
	if c.mesh != "" {
		m, err := c.loadMesh(c.mesh)
		if err != nil {
			return nil, err
		}
		return c.entriesIn(m)
	}
	meshes, err := c.files.folders(c.kind.Path)
	if err != nil {
		return nil, err
	}
	slices.Sort(meshes)
	var found []entry
	for _, name := range meshes {
		m, err := c.meshOrLeftOver(name)
		if err != nil {
			return nil, err
		}
		inMesh, err := c.entriesIn(m)
		if err != nil {
			return nil, err
		}
		found = append(found, inMesh...)
	}
	return found, nil
}

// entriesIn is [collection.entries] for one mesh, or outside meshes.
func (c collection) entriesIn(mesh kuma.Resource) ([]entry, error) {
	names, err := c.files.names(path.Join(c.kind.Path, mesh.Name))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return phrase.Each(names, func(name string) entry { return entry{mesh, name} }), nil
}

// loadAll reads resources. One that is deleted meanwhile is left out.
func (c collection) loadAll(entries []entry) ([]kuma.Resource, error) {
	resources := make([]kuma.Resource, 0, len(entries))
	for _, e := range entries {
		r, err := c.load(c.kind, e.mesh, e.name)
		if errors.Is(err, errNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		resources = append(resources, r)
	}
	return resources, nil
}

func pageSize(text string) (int, error) {
	const usual, most = 100, 1000
	if text == "" {
		return usual, nil
	}
	refused := func(reason string) (int, error) {
		f := invalid("", violation{Field: "size", Reason: reason})
		f.Detail = "Invalid page size"
		return 0, f
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return refused("the size must be an integer")
	case n <= 0:
		return refused("the size must be at least 1")
	case n > most:
		return refused(fmt.Sprintf("the size must be at most %d", most))
	default:
		return n, nil
	}
}

func pageOffset(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > math.MaxInt32 {
		f := invalid("")
		f.Detail = fmt.Sprintf("invalid offset %q: it is the number of items to skip", text)
		return 0, f
	}
	return n, nil
}

// labelFilter reads filter[labels.KEY]=VALUE; the last one for each key counts.
func (c collection) labelFilter(query url.Values) (map[string]string, error) {
	labels := map[string]string{}
	var refused []violation
	for _, parameter := range slices.Sorted(maps.Keys(query)) {
		filter, ok := strings.CutPrefix(parameter, "filter[")
		if !ok {
			continue
		}
		filter, closed := strings.CutSuffix(filter, "]")
		key, onLabel := strings.CutPrefix(filter, "labels.")
		field := c.template() + "." + parameter
		switch {
		case !onLabel:
			refused = append(refused, violation{field, "only filters by label are supported: filter[labels.KEY]=VALUE"})
		case !closed || strings.ContainsAny(key, "[]"):
			refused = append(refused, violation{field, "a filter must have one key and no operator: filter[labels.KEY]=VALUE"})
		default:
			values := query[parameter]
			labels[key] = values[len(values)-1]
		}
	}
	if refused != nil {
		return nil, invalid("", refused...)
	}
	return labels, nil
}

// template returns the path of the collection with a placeholder for the mesh, as
// errors name it.
func (c collection) template() string {
	if c.mesh == "" {
		return "/" + c.kind.Path
	}
	return "/" + meshesPath + "/{mesh}/" + c.kind.Path
}

// next returns the URL of the page that begins at offset.
func next(r *http.Request, query url.Values, offset int) *string {
	u := url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	query = maps.Clone(query)
	query.Set("offset", strconv.Itoa(offset))
	u.RawQuery = query.Encode()
	return new(u.String())
}

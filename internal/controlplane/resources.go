package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// Get reads one resource. meshName is ignored for kinds outside meshes.
func (c *Client) Get(ctx context.Context, k spec.Kind, meshName, name string) (mesh.Resource, error) {
	got, err := c.item(ctx, http.MethodGet, nil, k, meshName, name)
	if err != nil {
		return mesh.Resource{}, err
	}
	doc, err := mesh.DecodeJSON(got.body)
	if err != nil {
		return mesh.Resource{}, got.unreadable(err)
	}
	return got.resource(k, doc)
}

// Put creates the resource or replaces it as a whole, and returns whether it
// was created. The server completes what it stores: read it back. Warnings do
// not keep the server from storing it. A write that may have taken place
// although it failed is an [UnknownOutcomeError].
func (c *Client) Put(ctx context.Context, k spec.Kind, r mesh.Resource) (created bool, warnings []string, err error) {
	body, err := json.Marshal(r.Document())
	if err != nil {
		return false, nil, fmt.Errorf("encode %s: %w", r.Key(), err)
	}
	return c.write(ctx, http.MethodPut, body, k, r.Mesh, r.Name)
}

// Delete removes a resource. One that is not there is a [NotFoundError], and one
// that may be gone although it failed an [UnknownOutcomeError].
func (c *Client) Delete(ctx context.Context, k spec.Kind, meshName, name string) error {
	_, _, err := c.write(ctx, http.MethodDelete, nil, k, meshName, name)
	return err
}

// write sends a change of one resource and reads the acknowledgement, which has
// to be one: a page that a proxy shows instead proves nothing.
func (c *Client) write(ctx context.Context, method string, body []byte, k spec.Kind, meshName, name string) (created bool, warnings []string, err error) {
	got, err := c.item(ctx, method, body, k, meshName, name)
	if err != nil {
		return false, nil, got.outcome(err)
	}
	var answer struct{ Warnings []string }
	if err := json.Unmarshal(got.body, &answer); err != nil {
		return false, nil, &UnknownOutcomeError{got.unreadable(err)}
	}
	return got.status == http.StatusCreated, answer.Warnings, nil
}

// List reads the resources of a kind in one mesh, or in all when meshName is
// empty, sorted by mesh and name. What changes while the pages are read may be
// missing, but nothing appears twice.
func (c *Client) List(ctx context.Context, k spec.Kind, meshName string) ([]mesh.Resource, error) {
	steps := []string{k.Path}
	if k.Scope == spec.InMesh && meshName != "" {
		steps = []string{meshesPath, meshName, k.Path}
	}
	var resources []mesh.Resource
	seen := map[mesh.Key]bool{}
	for offset := 0; offset >= 0; {
		got, err := c.do(ctx, http.MethodGet, nil, pageQuery(offset), steps...)
		if err != nil {
			return nil, err
		}
		items, next, err := got.page()
		if err != nil {
			return nil, err
		}
		if next >= 0 && next <= offset {
			return nil, got.unreadable(fmt.Errorf("page %d is followed by page %d", offset, next))
		}
		for _, doc := range items {
			r, err := got.resource(k, doc)
			if err != nil {
				return nil, err
			}
			if !seen[r.Key()] {
				seen[r.Key()] = true
				resources = append(resources, r)
			}
		}
		offset = next
	}
	return resources, nil
}

// pageQuery asks for the largest page: a small one costs the server as much.
func pageQuery(offset int) url.Values {
	q := url.Values{"size": {"1000"}}
	if offset > 0 {
		q.Set("offset", strconv.Itoa(offset))
	}
	return q
}

// page reads one page of a list and where the next one begins, -1 when there is
// none. Only the offset of the link is used: behind a proxy, its host may be
// out of reach.
func (r reply) page() (items []any, next int, err error) {
	v, err := mesh.DecodeJSON(r.body)
	if err != nil {
		return nil, 0, r.unreadable(err)
	}
	list, _ := v.(map[string]any)
	items, ok := list["items"].([]any)
	if !ok {
		return nil, 0, r.unreadable(fmt.Errorf("a list has items"))
	}
	link, _ := list["next"].(string)
	if link == "" {
		return items, -1, nil
	}
	u, err := url.Parse(link)
	if err != nil {
		return nil, 0, r.unreadable(err)
	}
	next, err = strconv.Atoi(u.Query().Get("offset"))
	if err != nil {
		return nil, 0, r.unreadable(fmt.Errorf("the link to the next page has no offset: %w", err))
	}
	return items, next, nil
}

func (r reply) resource(k spec.Kind, doc any) (mesh.Resource, error) {
	got, err := mesh.FromDocument(doc, func(string) mesh.Form { return k.Form() })
	if err != nil {
		return mesh.Resource{}, r.unreadable(err)
	}
	if got.Type != k.Name {
		return mesh.Resource{}, r.unreadable(fmt.Errorf("it is a %s, not a %s", got.Type, k.Name))
	}
	return got, nil
}

// meshesPath precedes the name of a mesh in the URLs of what is inside it.
const meshesPath = "meshes"

// item sends a request about one resource.
func (c *Client) item(ctx context.Context, method string, body []byte, k spec.Kind, meshName, name string) (reply, error) {
	steps := []string{k.Path, name}
	if k.Scope == spec.InMesh {
		steps = []string{meshesPath, meshName, k.Path, name}
	}
	for _, step := range steps {
		// Such a name would lead to another URL. No resource has one.
		if strings.Trim(step, ".") == "" || strings.Contains(step, "/") {
			return reply{}, &InvalidError{
				Call:       Call{method, "/" + strings.Join(steps, "/")},
				Title:      "Invalid name",
				Violations: []Violation{{Field: "name", Reason: fmt.Sprintf("%q cannot be part of a URL", step)}},
			}
		}
	}
	return c.do(ctx, method, body, nil, steps...)
}

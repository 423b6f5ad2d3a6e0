package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Get reads one resource. meshName is ignored for kinds outside meshes. A
// missing resource or mesh is a [NotFoundError], and an unsupported kind an
// [UnknownKindError].
func (c *Client) Get(ctx context.Context, k def.Kind, meshName, name string) (kuma.Resource, error) {
	got, err := c.item(ctx, http.MethodGet, nil, k, meshName, name)
	if err != nil {
		return kuma.Resource{}, err
	}
	doc, err := tree.DecodeJSON(got.body)
	if err != nil {
		return kuma.Resource{}, got.unreadable(err)
	}
	r, err := got.resource(k, doc)
	if err != nil {
		return kuma.Resource{}, err
	}
	want := kuma.Key{Type: k.Name, Name: name}
	if k.Scope == def.InMesh {
		want.Mesh = meshName
	}
	if r.Key() != want {
		return kuma.Resource{}, got.unexpected("the response contains %s, not %s", r.Key(), want)
	}
	return r, nil
}

// Put creates the resource or replaces it as a whole, and returns which. The
// server may complete what it stores: read it back. Warnings do not keep the
// server from storing it. A write that failed and may nevertheless have been
// applied is an [UnknownOutcomeError].
func (c *Client) Put(ctx context.Context, k def.Kind, r kuma.Resource, options ...WriteOption) (outcome Outcome, warnings []string,
	err error,
) {
	doc := r.Document()
	body, err := json.Marshal(doc)
	if err != nil {
		return 0, nil, fmt.Errorf("encode %s: %w", r.Key(), err)
	}
	return c.write(withSecrets(ctx, k.Secrets(doc)), http.MethodPut, body, k, r.Mesh, r.Name, options)
}

// Delete removes a resource. A missing one is a [NotFoundError], and one
// that may have been deleted although the request failed an [UnknownOutcomeError].
func (c *Client) Delete(ctx context.Context, k def.Kind, meshName, name string, options ...WriteOption) error {
	_, _, err := c.write(ctx, http.MethodDelete, nil, k, meshName, name, options)
	return err
}

// write sends a change of one resource and reads the acknowledgement, which must
// be valid: a page of a proxy with status 200 proves nothing.
func (c *Client) write(ctx context.Context, method string, body []byte, k def.Kind, meshName, name string,
	options []WriteOption,
) (outcome Outcome, warnings []string, err error) {
	var with writeOptions
	for _, option := range options {
		option(&with)
	}
	got, err := c.item(with.attach(ctx), method, body, k, meshName, name)
	if errors.Is(err, ErrDone) {
		return EarlierAttempt, nil, nil
	}
	if err != nil {
		return 0, nil, got.mayHaveHappened(err)
	}
	answer := &struct{ Warnings []string }{}
	if len(got.body) > 0 { // releases up to 2.9 send no body
		if err := json.Unmarshal(got.body, &answer); err != nil {
			return 0, nil, &UnknownOutcomeError{got.unreadable(err)}
		}
		if answer == nil {
			return 0, nil, &UnknownOutcomeError{got.unexpected("the response is null")}
		}
	}
	switch {
	case got.status == http.StatusCreated:
		outcome = Created
	case got.attempts.unknown:
		outcome = EarlierAttempt
	default:
		outcome = Updated
	}
	return outcome, got.attempts.secrets.maskAll(answer.Warnings), nil
}

// List reads the resources of a kind in one mesh, or in all when meshName is empty,
// sorted by mesh and name. Resources that change while the pages are read may be
// missing, but none appears twice. A missing mesh is a [NotFoundError].
func (c *Client) List(ctx context.Context, k def.Kind, meshName string) ([]kuma.Resource, error) {
	var resources []kuma.Resource
	for r, err := range c.All(ctx, k, meshName) {
		if err != nil {
			return nil, err
		}
		resources = append(resources, r)
	}
	return resources, nil
}

// All is [Client.List] page by page. An error ends the sequence.
func (c *Client) All(ctx context.Context, k def.Kind, meshName string) iter.Seq2[kuma.Resource, error] {
	return func(yield func(kuma.Resource, error) bool) {
		seen := map[kuma.Key]bool{}
		for item, err := range c.items(ctx, listPath(k, meshName)...) {
			var r kuma.Resource
			if err == nil {
				r, err = item.from.resource(k, item.document)
			}
			if err == nil && k.Scope == def.InMesh && meshName != "" && r.Mesh != meshName {
				err = item.from.unexpected("the list of mesh %q contains %s", meshName, r.Key())
			}
			if err == nil && seen[r.Key()] {
				continue
			}
			seen[r.Key()] = true
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// listPath returns the path of the list of a kind in one mesh, or in all meshes when
// meshName is empty.
func listPath(k def.Kind, meshName string) []string {
	if k.Scope == def.Global || meshName == "" {
		return []string{k.Path}
	}
	return []string{meshesPath, meshName, k.Path}
}

// listItem is one element of a list.
type listItem struct {
	document any
	from     reply
}

// items reads a list page by page. An error ends the sequence.
func (c *Client) items(ctx context.Context, path ...string) iter.Seq2[listItem, error] {
	return func(yield func(listItem, error) bool) {
		for offset, pages := 0, 1; offset >= 0; pages++ {
			got, err := c.do(ctx, http.MethodGet, nil, pageQuery(offset), path...)
			var items []any
			next := -1
			if err == nil {
				items, next, err = got.page(offset)
			}
			switch {
			case err != nil:
			case next >= 0 && next <= offset:
				err = got.unexpected("the page at offset %d links to a next page at offset %d", offset, next)
			case next >= 0 && pages >= maxPages:
				err = got.unexpected("the list has more than %d pages", maxPages)
			}
			if err != nil {
				yield(listItem{}, err)
				return
			}
			for _, document := range items {
				if !yield(listItem{document, got}, nil) {
					return
				}
			}
			offset = next
		}
	}
}

const (
	pageSize = 1000 // the maximum: a small page costs the server as much
	maxPages = 1000 // guards against a list that never ends
)

func pageQuery(offset int) url.Values {
	q := url.Values{"size": {strconv.Itoa(pageSize)}}
	if offset > 0 {
		q.Set("offset", strconv.Itoa(offset))
	}
	return q
}

// page reads one page of a list, which begins at offset, and where the next one begins, -1
// when there is none. Only the offset of the link is used: behind a proxy, its host may be
// out of reach. A page that omits resources is an error: they would look like deleted ones.
func (r reply) page(offset int) (items []any, next int, err error) {
	v, err := tree.DecodeJSON(r.body)
	if err != nil {
		return nil, 0, r.unreadable(err)
	}
	list := tree.Object(v)
	items, ok := list["items"].([]any)
	if !ok {
		return nil, 0, r.unreadable(fmt.Errorf("items is missing"))
	}
	number, _ := list["total"].(json.Number)
	total, errTotal := number.Int64()
	read := offset + len(items)
	link, _ := list["next"].(string)
	if link == "" {
		if errTotal == nil && int64(read) < total {
			return nil, 0, r.unexpected("the list ends after %d of %d resources", read, total)
		}
		return items, -1, nil
	}
	u, err := url.Parse(link)
	if err != nil {
		return nil, 0, r.unreadable(err)
	}
	next, err = strconv.Atoi(u.Query().Get("offset"))
	if err != nil {
		return nil, 0, r.unreadable(fmt.Errorf("the link to the next page has no valid offset: %w", err))
	}
	switch {
	case errTotal != nil || int64(next) >= total:
		return nil, 0, r.unexpected("the list links to a page at offset %d, but its total is %q", next, number)
	case next > read:
		return nil, 0, r.unexpected("the page after %d resources is at offset %d", read, next)
	default:
		return items, next, nil
	}
}

func (r reply) resource(k def.Kind, doc any) (kuma.Resource, error) {
	got, err := kuma.FromDocument(doc, func(string) kuma.Form { return k.Form() })
	if err != nil {
		return kuma.Resource{}, r.unreadable(err)
	}
	if got.Type != k.Name {
		return kuma.Resource{}, r.unreadable(fmt.Errorf("its type is %s, not %s", got.Type, k.Name))
	}
	return got, nil
}

// meshesPath precedes the name of a mesh in the URLs of its resources.
const meshesPath = "meshes"

// item sends a request about one resource.
func (c *Client) item(ctx context.Context, method string, body []byte, k def.Kind, meshName, name string) (reply, error) {
	steps := []string{k.Path, name}
	if k.Scope == def.InMesh {
		steps = []string{meshesPath, meshName, k.Path, name}
	}
	if err := checkSteps(method, steps); err != nil {
		return reply{}, err
	}
	return c.do(ctx, method, body, nil, steps...)
}

// checkSteps rejects names that would change the URL. No resource has one.
func checkSteps(method string, steps []string) error {
	for _, step := range steps {
		if strings.Trim(step, ".") == "" || strings.Contains(step, "/") {
			return &InvalidError{
				Call:       Call{Method: method, Path: "/" + strings.Join(steps, "/")},
				Title:      "Invalid name",
				Violations: []Violation{{Field: "name", Reason: fmt.Sprintf("%q cannot be a segment of a URL path", step)}},
			}
		}
	}
	return nil
}

// Outcome is what a successful [Client.Put] did.
type Outcome int

// Outcomes.
const (
	Created Outcome = iota
	Updated
	// EarlierAttempt is the outcome of a write that was retried because an attempt
	// seemed to fail: it is not known which attempt stored the resource.
	EarlierAttempt
)

// WriteOption changes how [Client.Put] and [Client.Delete] write.
type WriteOption func(*writeOptions)

type writeOptions struct {
	onlyCreate  bool
	unchanged   time.Time
	beforeRetry func(context.Context) error
}

// OnlyCreate makes a write fail with an [ExistsError] if the resource already
// exists. The embedded control plane enforces that. Control
// planes of Kuma ignore the condition: read the resource first, and check whether the write
// reports that it created the resource.
func OnlyCreate(o *writeOptions) { o.onlyCreate = true }

// OnlyUnchanged makes a write fail with a [ConflictError] if the resource has been modified
// since. The embedded control plane enforces that.
func OnlyUnchanged(since time.Time) WriteOption {
	return func(o *writeOptions) { o.unchanged = since }
}

// BeforeRetry calls check before each retry, possibly minutes after the first
// attempt, so that a retried write does not undo changes by other clients. The
// write is retried when check returns nil, is considered done when it returns
// [ErrDone], and fails with any other error.
func BeforeRetry(check func(context.Context) error) WriteOption {
	return func(o *writeOptions) { o.beforeRetry = check }
}

// ErrDone reports that an attempt that seemed to fail succeeded.
var ErrDone = errors.New("an earlier attempt succeeded")

type writeOptionsKey struct{}

// attach returns a context that carries the options to the attempts.
func (o writeOptions) attach(ctx context.Context) context.Context {
	return context.WithValue(ctx, writeOptionsKey{}, o)
}

// addConditions adds those of [OnlyCreate] and [OnlyUnchanged] to the request of a write.
func (c *Client) addConditions(r *http.Request) {
	o, _ := r.Context().Value(writeOptionsKey{}).(writeOptions)
	if o.onlyCreate {
		r.Header.Set("If-None-Match", "*")
	}
	if c.inProcess && !o.unchanged.IsZero() {
		r.Header.Set("If-Match", strconv.Quote(o.unchanged.Format(time.RFC3339Nano)))
	}
}

// prepareRetry is called before a request is retried.
func prepareRetry(r *http.Request) error {
	o, _ := r.Context().Value(writeOptionsKey{}).(writeOptions)
	if o.beforeRetry == nil {
		return nil
	}
	if err := o.beforeRetry(context.WithValue(r.Context(), writeOptionsKey{}, nil)); err != nil {
		return &beforeRetryError{err}
	}
	return nil
}

// beforeRetryError is an error of [BeforeRetry], which is returned unchanged.
type beforeRetryError struct{ error }

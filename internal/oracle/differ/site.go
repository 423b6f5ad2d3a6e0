package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// controlPlane is a control plane: zone or global.
type controlPlane struct {
	endpoint string
	client   *controlplane.Client
	info     controlplane.Info
}

func connect(ctx context.Context, endpoint string) (*controlPlane, error) {
	client, err := controlplane.New(controlplane.Config{Endpoint: endpoint, UserAgent: "differ"})
	if err != nil {
		return nil, err
	}
	info, err := client.Discover(ctx)
	return &controlPlane{endpoint, client, info}, err
}

// put stores a resource. rejection is the reason why the control plane rejects it, and
// empty if it accepts it.
func (s *controlPlane) put(ctx context.Context, r kuma.Resource) (rejection string, err error) {
	k, _ := kinds.Find(r.Type)
	if !s.info.Release.Has(kuma.CompletesSince) { // the provider does the same
		r = r.Clone()
		k.FillDefaults(r)
		r.Labels = k.Labels(r, s.info.ControlPlane)
	}
	_, _, err = s.client.Put(ctx, k, r)
	var invalid *controlplane.InvalidError
	var notAllowed *controlplane.NotAllowedError
	var unknown *controlplane.UnknownKindError
	switch {
	case errors.As(err, &invalid):
		return fmt.Sprintf("%s %v", invalid.Detail, invalid.Violations), nil
	case errors.As(err, &notAllowed), errors.As(err, &unknown):
		return err.Error(), nil
	default:
		return "", err
	}
}

// stored reads all resources of a mesh that the engine uses.
func (s *controlPlane) stored(ctx context.Context, mesh string) ([]kuma.Resource, error) {
	var all []kuma.Resource
	for _, k := range rules.Kinds() {
		if k.Scope == def.Global {
			if k.Name == kuma.KindMesh {
				r, err := s.client.Get(ctx, k, "", mesh)
				if err != nil {
					return nil, err
				}
				all = append(all, r)
			}
			continue
		}
		list, err := s.client.List(ctx, k, mesh)
		var unknown *controlplane.UnknownKindError
		if err != nil && !errors.As(err, &unknown) {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// rules requests the rules of a dataplane.
func (s *controlPlane) rules(ctx context.Context, mesh, dataplane string) (any, error) {
	body, err := s.get(ctx, "meshes", mesh, "dataplanes", dataplane, "_rules")
	if err != nil {
		return nil, err
	}
	return decodeAnswer(body)
}

// errUnanswered reports that a control plane failed to answer a request. The inspect API
// of older releases closes the connection, or does not answer, for some dataplanes.
var errUnanswered = errors.New("no answer")

// answerLimit limits the wait for an answer, which usually takes milliseconds.
const answerLimit = 2 * time.Minute

// get requests a path of the API. The error wraps [errUnanswered] if the control plane
// fails to answer.
func (s *controlPlane) get(ctx context.Context, path ...string) ([]byte, error) {
	address, err := url.JoinPath(s.endpoint, path...)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if errors.Is(err, io.EOF) || ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w: %w", errUnanswered, err)
	}
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d: %s", address, response.StatusCode, body)
	}
	if response.StatusCode >= http.StatusInternalServerError {
		err = fmt.Errorf("%w: %w", errUnanswered, err)
	}
	return body, err
}

// remove deletes a mesh and its resources. Dataplanes and resources outside of the mesh
// are not deleted with it. Resources that remain after an error do not matter, because
// every world has its own names.
func (s *controlPlane) remove(ctx context.Context, mesh string, world []kuma.Resource) {
	for _, r := range world {
		k, _ := kinds.Find(r.Type)
		if k.Name == kuma.KindDataplane || k.Scope == def.Global && k.Name != kuma.KindMesh {
			_ = s.client.Delete(ctx, k, r.Mesh, r.Name)
		}
	}
	if !s.info.Federated {
		_ = s.client.Delete(ctx, kinds.Mesh, "", mesh)
	}
}

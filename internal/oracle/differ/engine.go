package main

import (
	"encoding/json"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// engine returns the answer of the engine for each dataplane of a mesh, in
// normal form.
func engine(snapshot *rules.Snapshot, mesh string) (map[string]any, error) {
	answers := map[string]any{}
	for _, dataplane := range snapshot.Dataplanes(mesh) {
		answer, err := snapshot.Dataplane(mesh, dataplane)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(answer.Listed())
		if err != nil {
			return nil, err
		}
		if answers[dataplane], err = decodeAnswer(data); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// decodeAnswer returns the normal form of an answer about a dataplane.
func decodeAnswer(data []byte) (any, error) {
	answer, err := tree.DecodeJSON(data)
	return testworld.ComparableAnswer(answer), err
}

// planned returns the resources that a control plane should store after resources are
// sent to it: those, as it stores them, and the ones that the control plane created or
// received from another one.
func planned(sent, stored []kuma.Resource, cp kuma.ControlPlane) []kuma.Resource {
	byKey := map[kuma.Key]kuma.Resource{}
	for _, r := range stored {
		byKey[r.Key()] = r
	}
	c := def.StoreContext{ControlPlane: cp, Create: true}
	for _, r := range slices.Concat(stored, sent) {
		if r.Type == kuma.KindMesh {
			c.Mesh = r
		}
	}
	var all []kuma.Resource
	for _, r := range sent {
		k, _ := kinds.Find(r.Type)
		p := k.Store(r, c)
		// The creation time decides between equal gateways, and only the control plane knows it.
		p.CreationTime = byKey[r.Key()].CreationTime
		all = append(all, p)
		delete(byKey, r.Key())
	}
	for _, r := range stored {
		if _, ok := byKey[r.Key()]; ok {
			all = append(all, r)
		}
	}
	return all
}

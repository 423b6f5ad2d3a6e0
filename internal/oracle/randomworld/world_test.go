package randomworld_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
)

// seeds returns how many worlds the tests generate.
func seeds() int {
	if testing.Short() {
		return 50
	}
	return 600
}

// worlds are those of all seeds, generated once for all tests.
var worlds = sync.OnceValue(func() [][]kuma.Resource { return generate(options) })

func generate(o randomworld.Options) [][]kuma.Resource {
	all := make([][]kuma.Resource, seeds())
	var wg sync.WaitGroup
	running := make(chan bool, runtime.GOMAXPROCS(0))
	for seed := range all {
		wg.Go(func() {
			running <- true
			all[seed] = randomworld.New(uint64(seed), o)
			<-running
		})
	}
	wg.Wait()
	return all
}

var options = randomworld.Options{Mesh: "m", Zone: "zone-1"}

func TestWorldsAreValidAndDeterministic(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for seed, world := range worlds() {
		if seed < seeds()/10 {
			if diff := cmp.Diff(world, randomworld.New(uint64(seed), options)); diff != "" {
				t.Fatalf("seed %d: another world the second time (-first +second):\n%s", seed, diff)
			}
		}
		seen := map[kuma.Key]bool{}
		for _, r := range world {
			k, ok := kinds.Find(r.Type)
			if !ok {
				t.Fatalf("seed %d: no kind %s", seed, r.Type)
			}
			if problems := def.Errors(k.Validate(r.Document())); len(problems) > 0 {
				t.Errorf("seed %d: %s: %v", seed, r.Key(), problems)
			}
			if seen[r.Key()] {
				t.Errorf("seed %d: %s is there twice", seed, r.Key())
			}
			seen[r.Key()] = true
			counts[r.Type]++
		}
	}
	for _, k := range kinds.Policies() {
		if counts[k.Name] < seeds()/10 {
			t.Errorf("%d resources of kind %s in %d worlds", counts[k.Name], k.Name, seeds())
		}
	}
	t.Log(counts)
}

// TestShapes looks for what found differences between engine and control plane
// in the past, and is easily lost in a change of the generator.
func TestShapes(t *testing.T) {
	if t.Parallel(); testing.Short() {
		t.Skip("some shapes are rare, so that it needs the worlds of all seeds")
	}
	var sharedPort, noTags, delegated, emptyLabel, emptyNamespace, contradiction, section, hashed, inboundByName, hostnames, crowd, sharedListener bool
	names := map[string]bool{} // parts of names, and labels
	for _, world := range worlds() {
		crowd = crowd || len(world) > 40
		for _, r := range world {
			for _, part := range []string{".", "-"} {
				names[part] = names[part] || strings.Contains(r.Name, part) && r.ToRefs() != nil
			}
			for label := range r.Labels {
				names[label] = true
			}
			networking, _ := r.Body["networking"].(map[string]any)
			ports := map[any]bool{}
			for _, in := range list(networking["inbound"]) {
				noTags = noTags || in["tags"] == nil
				sharedPort = sharedPort || ports[in["port"]]
				ports[in["port"]] = true
			}
			for _, l := range list(networking["listeners"]) {
				sharedListener = sharedListener || ports[l["port"]]
			}
			gateway, _ := networking["gateway"].(map[string]any)
			delegated = delegated || gateway["type"] == "DELEGATED"
			namespace, ok := r.Labels[kuma.LabelK8sNamespace]
			emptyNamespace = emptyNamespace || ok && namespace == "" && r.Role() == kuma.RoleConsumer
			top := kuma.ParseTargetRef(r.Spec()["targetRef"])
			for _, v := range top.Labels {
				emptyLabel = emptyLabel || v == "" && top.Kind == kuma.KindDataplane
			}
			for _, from := range list(r.Spec()["from"]) {
				ref := kuma.ParseTargetRef(from["targetRef"])
				contradiction = contradiction || ref.Kind == kuma.KindMeshServiceSubset && ref.Tags[kuma.TagService] != ""
			}
			section = section || slices.ContainsFunc(r.ToRefs(), func(ref kuma.TargetRef) bool { return ref.SectionName != "" })
			inboundByName = inboundByName || top.Kind == kuma.KindDataplane && top.SectionName != ""
			for _, to := range list(r.Spec()["to"]) {
				names, _ := to["hostnames"].([]any)
				hostnames = hostnames || len(names) > 0
			}
			hashed = hashed || top.Kind == kuma.KindMeshHTTPRoute
		}
	}
	for name, found := range map[string]bool{
		"inbounds that share a port": sharedPort, "an inbound without tags": noTags, "a delegated gateway": delegated,
		"a Dataplane label without value": emptyLabel, "a consumer in no namespace": emptyNamespace,
		"a service with another service as tag": contradiction, "a destination with a section": section, "a route that selects": hashed,
		"a selected inbound": inboundByName, "a route with host names": hostnames, "many policies": crowd, "an embedded listener on the port of an inbound": sharedListener,
		"a policy with a dot in its name": names["."], "a policy with a hyphen in its name": names["-"],
		kuma.LabelOrigin: names[kuma.LabelOrigin], kuma.LabelEnv: names[kuma.LabelEnv], kuma.LabelManagedBy: names[kuma.LabelManagedBy],
		kuma.LabelWorkload: names[kuma.LabelWorkload],
	} {
		if !found {
			t.Errorf("no world has %s", name)
		}
	}
}

func list(v any) []map[string]any {
	var out []map[string]any
	items, _ := v.([]any)
	for _, e := range items {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func TestWorldsOfZones(t *testing.T) {
	t.Parallel()
	zones := []string{"east", "west"}
	owners := map[string]int{}
	for seed := range uint64(50) {
		for _, r := range randomworld.New(seed, randomworld.Options{Mesh: "m", Zones: zones}) {
			owners[r.Zone()]++
		}
	}
	for _, owner := range append(zones, "") {
		if owners[owner] == 0 {
			t.Errorf("nothing belongs to %q", owner)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for seed := range uint64(4) {
				r, ok := randomworld.Document(seed, k, options)
				if !ok {
					continue
				}
				found++
				if problems := def.Errors(k.Validate(r.Document())); len(problems) > 0 {
					t.Errorf("seed %d: %v", seed, problems)
				}
			}
			if found == 0 {
				t.Error("no seed found a document")
			}
		})
	}
}

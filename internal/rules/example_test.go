package rules_test

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// shop is a mesh in which the platform team, the owners of the cart and the team
// of the web frontend have set timeouts.
const shop = `
type: Mesh
name: default
---
type: Dataplane
name: web-1
labels: {app: web}
networking:
  address: 10.0.0.1
  inbound:
    - port: 8080
      tags: {kuma.io/service: web}
---
type: MeshService
name: cart
spec:
  ports: [{port: 80, name: http}]
---
type: MeshTimeout
name: for-everybody
spec:
  to:
    - targetRef: {kind: Mesh}
      default:
        connectionTimeout: 5s
        http: {requestTimeout: 15s}
---
type: MeshTimeout
name: by-the-cart
spec:
  to:
    - targetRef: {kind: MeshService, name: cart}
      default: {http: {requestTimeout: 2s}}
---
type: MeshTimeout
name: by-the-frontend
spec:
  targetRef:
    kind: Dataplane
    labels: {app: web}
  to:
    - targetRef: {kind: MeshService, name: cart}
      default: {http: {requestTimeout: 3s}}
`

func readShop() (*rules.Snapshot, error) {
	docs, err := tree.DecodeYAML([]byte(shop))
	if err != nil {
		return nil, err
	}
	var resources []kuma.Resource
	for _, doc := range docs {
		r, err := kuma.FromDocument(doc, kinds.Form)
		if err != nil {
			return nil, err
		}
		resources = append(resources, r)
	}
	return rules.NewSnapshot(resources), nil
}

// Which rules do all policies result in for one proxy?
func ExampleSnapshot_Dataplane() {
	snapshot, err := readShop()
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := snapshot.Dataplane("default", "web-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, policies := range answer.Rules {
		for _, r := range policies.ToResourceRules {
			fmt.Println(policies.Type, "to", r.ResourceMeta.Type, r.ResourceMeta.Name, r.Conf[0])
			for _, o := range r.Origin {
				fmt.Println("  from", o.ResourceMeta.Name, "entry", o.RuleIndex)
			}
		}
	}
	// Output:
	// MeshTimeout to MeshService cart map[connectionTimeout:5s http:map[requestTimeout:3s]]
	//   from for-everybody entry 0
	//   from by-the-cart entry 0
	//   from by-the-frontend entry 0
	// MeshTimeout to Mesh default map[connectionTimeout:5s http:map[requestTimeout:15s]]
	//   from for-everybody entry 0
}

// Which conf does traffic to one port of a service get? There is no rule for
// the port, so that of the service applies.
func ExamplePolicyRules_Lookup() {
	snapshot, err := readShop()
	if err != nil {
		fmt.Println(err)
		return
	}
	timeouts, err := snapshot.Rules("default", "web-1", "MeshTimeout")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, ok := timeouts.Lookup(rules.Destination{
		Resource: kuma.ID{Type: "MeshService", Mesh: "default", Name: "cart"},
		Section:  "http",
	})
	fmt.Println(ok, found.Conf[0])
	fmt.Println("by", found.Step, "after", found.Passed)
	// Output:
	// true map[connectionTimeout:5s http:map[requestTimeout:3s]]
	// by resource after [section]
}

// Which policy set each value?
func ExampleResourceRule_Explain() {
	snapshot, err := readShop()
	if err != nil {
		fmt.Println(err)
		return
	}
	timeouts, err := snapshot.Rules("default", "web-1", "MeshTimeout")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, leaf := range timeouts.ToResourceRules[0].Explain()[0] {
		fmt.Println(leaf.Path, "is", leaf.Value, "by", leaf.SetBy.ResourceMeta.Name)
		for _, s := range leaf.Overridden {
			fmt.Println("  instead of", s.Value, "by", s.SetBy.ResourceMeta.Name)
		}
	}
	// Output:
	// connectionTimeout is 5s by for-everybody
	// http.requestTimeout is 3s by by-the-frontend
	//   instead of 15s by for-everybody
	//   instead of 2s by by-the-cart
}

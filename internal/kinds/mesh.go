package kinds

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Mesh is a group of services that can reach each other.
var Mesh = def.Kind{
	Name: "Mesh", Path: "meshes", ShortName: "m", Scope: def.Global,
	Flat: true, GlobalOwned: true,
	Doc: "A group of services with its own certificates, policies and proxies. Deleting a Mesh deletes everything in it, and is refused while it has Dataplanes.",
	Fields: def.Object{
		{
			Name: "mtls", Type: meshTLS, Checks: def.Checks(check.BackendNamed("enabledBackend")),
			Doc: "Mutual TLS between the proxies of the mesh. It is off when unset.",
		},
		object.MeshTracing,
		object.MeshLogging,
		object.MeshMetrics,
		{Name: "networking", Doc: "How proxies treat traffic that leaves the mesh.", Type: def.Object{
			{Name: "outbound", Doc: "Outgoing traffic.", Type: def.Object{
				{
					Name: "passthrough", Type: def.Bool, Distinct: true,
					Doc: "Whether transparent proxies let traffic to unknown destinations through. They do when unset.",
				},
			}},
		}},
		{Name: "routing", Type: meshRouting, Doc: "How traffic finds its way between zones and out of the mesh."},
		{Name: "constraints", Doc: "Conditions for joining the mesh.", Type: def.Object{
			{Name: "dataplaneProxy", Doc: "Conditions that a Dataplane must meet.", Type: def.Object{
				{
					Name: "requirements", Type: def.List{Elem: tagSet},
					Doc: "Sets of tags, one of which every inbound must carry. Without any, all are let in.",
				},
				{
					Name: "restrictions", Type: def.List{Elem: tagSet},
					Doc: "Sets of tags, none of which an inbound may carry. They are stronger than `requirements`.",
				},
			}},
		}},
		{
			Name: "skipCreatingInitialPolicies", Type: def.List{Elem: def.String}, Design: def.Checks(def.Each(initialPolicy)),
			Doc: "Kinds of the default policies that are not created together with the mesh: MeshTimeout, MeshCircuitBreaker, MeshRetry, or `*` for all. All are created when unset. A later change has no effect.",
		},
		{Name: "meshServices", Doc: "How Dataplanes become MeshServices.", Type: def.Object{
			{
				Name: "mode", Type: def.String, OneOf: []string{"Disabled", "Everywhere", "ReachableBackends", "Exclusive"}, Default: "Disabled",
				Doc: "`Disabled`, the default, generates no MeshService. `Everywhere` generates one per `kuma.io/service` and lets proxies use them next to the tags. " +
					"`ReachableBackends` does so only for proxies that list `reachable_backends`. `Exclusive` drops the tags, and is needed for MeshIdentity.",
			},
		}},
	},
	Checks:   def.Checks(check.ShortName(check.Name), check.DNSLabelName(check.Name), zoneEgressNeedsTLS),
	Creation: def.Checks(check.SecretsNeedMesh),
}

var meshRouting = def.Object{
	{
		Name: "localityAwareLoadBalancing", Type: def.Bool,
		Doc: "Prefer instances in the zone of the client. It holds for services by tag only; for others use MeshLoadBalancingStrategy. Off when unset.",
	},
	{
		Name: "zoneEgress", Type: def.Bool,
		Doc: "Send traffic to other zones and to external services through the zone egress, without which it then fails. It needs `enabled_backend` of `mtls`. Off when unset.",
	},
	{
		Name: "defaultForbidMeshExternalServiceAccess", Type: def.Bool,
		Doc: "Keep proxies from reaching MeshExternalServices unless a MeshTrafficPermission allows it. Off when unset.",
	},
}

var tagSet = def.Object{
	{
		Name: "tags", Type: def.StringMap{}, Required: true, Checks: def.Checks(def.TagPatterns()),
		Doc: "Tags with their values; `*` stands for any value.",
	},
}

// zoneEgressNeedsTLS: a zone egress tells services apart by their server name,
// which only TLS carries.
var zoneEgressNeedsTLS = def.Check{Test: func(n tree.Node) []def.Problem {
	if !n.Get("routing", "zoneEgress").True() || !n.Get("mtls", "enabledBackend").Empty() {
		return nil
	}
	return []def.Problem{def.ErrorAt(n.Get("mtls"), "zoneEgress needs mutual TLS", "The mesh sends traffic through the zone egress (\"zoneEgress\"), which only works with mutual TLS. Set \"enabledBackend\" of \"mtls\", or remove zoneEgress.")}
}}

// initialPolicy warns of a kind without default policies.
var initialPolicy = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	skipped := []string{MeshTimeout.Name, MeshCircuitBreaker.Name, MeshRetry.Name, "*"}
	if !ok || slices.Contains(skipped, s) {
		return nil
	}
	return []def.Problem{def.WarningAt(n, "There is no such default policy", fmt.Sprintf("A new mesh gets no policy of kind %q, so there is none to skip. Name %s.%s", s, phrase.Or(skipped...), phrase.Suggest(s, skipped)))}
}}

var authorityConf = def.Object{
	{Name: "caCert", Doc: "The certificate that a `builtin` authority generates for itself.", Type: def.Object{
		{Name: "RSAbits", Type: def.Int, Distinct: true, Doc: "Size of the key in bits. It is `2048` when unset."},
		{Name: "expiration", Type: def.String, Checks: def.Checks(check.CalendarDuration), Doc: "Life of the certificate, such as `10y`, which is what Kuma uses when unset."},
	}},
	{Name: "cert", Type: object.DataSourceOrFile(false), Design: def.Checks(object.OneSource), Doc: "Certificate of a `provided` authority."},
	{Name: "key", Type: object.DataSourceOrFile(true), Design: def.Checks(object.OneSource), Doc: "Private key of a `provided` authority."},
}

// authority is one certificate authority of a mesh.
var authority = def.Object{
	{Name: "name", Type: def.String, Doc: "Name of the backend."},
	{
		Name: "type", Type: def.String, Required: true, Checks: def.Checks(def.OneOf("builtin", "provided").At(def.Objects)),
		Doc: "Where the certificate of the authority comes from: `builtin` generates it, `provided` takes yours.",
	},
	{Name: "dpCert", Doc: "Certificates of the proxies.", Type: def.Object{
		{Name: "rotation", Required: true, Doc: "Renewal of the certificates.", Type: def.Object{
			{
				Name: "expiration", Type: def.String, Required: true, Checks: def.Checks(check.CalendarDuration),
				Doc: "Life of a certificate, such as `1d`. Proxies renew theirs in time.",
			},
		}},
		{
			Name: "requestTimeout", Type: def.ProtoDuration,
			Doc: "Time that the authority may take to issue a certificate.",
		},
	}},
	{
		Name: "conf", FreeForm: true, Type: authorityConf,
		Doc: "Settings of the authority, by `type`: `ca_cert` for `builtin`, `cert` and `key` for `provided`.",
	},
	{
		Name: "mode", Type: def.String, OneOf: []string{"STRICT", "PERMISSIVE"}, Default: "STRICT",
		Doc: "`STRICT`, the default, lets proxies accept traffic of the mesh only, `PERMISSIVE` also traffic without TLS, for the time of a migration.",
	},
	{Name: "rootChain", Doc: "Requests for the chain of root certificates.", Type: def.Object{
		{
			Name: "requestTimeout", Type: def.ProtoDuration,
			Doc: "Time that the authority may take to answer. It is `10s` when unset.",
		},
	}},
}

var meshTLS = def.Object{
	{
		Name: "enabledBackend", Type: def.String,
		Doc: "Name of the backend in use. Mutual TLS is off when unset. To change to another backend, turn it off in between.",
	},
	{
		Name: "backends", Type: def.List{Elem: authority},
		Doc:    "Certificate authorities, at most one.",
		Checks: def.Checks(def.Items(0, 1).At(def.Rule), def.Unique("name"), def.Each(check.Authority)),
	},
	{
		Name: "skipValidation", Type: def.Bool,
		Doc: "Store the mesh without trying to load certificate and key of its backend. They are tried when unset.",
	},
}

// ExclusiveMeshServices reports whether services of a mesh are addressed as
// resources only, and not by the tag kuma.io/service.
func ExclusiveMeshServices(mesh kuma.Resource) bool {
	mode, _ := tree.Root(mesh.Body).Get("meshServices", "mode").Text()
	return mode == "Exclusive"
}

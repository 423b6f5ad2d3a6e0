package kinds

import (
	"fmt"
	"slices"
	"strings"

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
	Flat: true, ClusterScoped: true, GlobalOwned: true, Contains: true,
	Undeletable: "A mesh can be deleted when it has no Dataplanes. A global control plane learns within seconds that a zone has " +
		"deleted its own: then apply again. To replace the mesh, replace its Dataplanes in the same run: list the mesh in " +
		"replace_triggered_by of their lifecycle block.",
	Remedy: func(reason string) string {
		if !strings.Contains(reason, `not found: type="Secret"`) {
			return ""
		}
		return "If this run also creates the Secrets, set skip_validation of mtls to true, apply, and remove it for the next apply."
	},
	Doc: "A service mesh: an isolated group of services with its own certificates, policies and proxies. " +
		"Deleting a Mesh deletes everything in it except the Secrets that you created. A Mesh with Dataplanes cannot be deleted.",
	Use: "Use one mesh per environment or tenant whose services must not reach each other. " +
		"All other resources of a mesh refer to it by name.",
	Page: "production/mesh",
	Fields: def.Object{
		{
			Name: "mtls", Type: meshTLS,
			Removed: def.RemovedIn3("Use a MeshIdentity for the certificates of the proxies, and a MeshTLS for the mode."),
			Checks:  def.Checks(check.BackendNamed("enabledBackend")),
			Doc:     "Mutual TLS between the proxies of the mesh. Disabled by default.",
		},
		object.MeshTracing,
		object.MeshLogging,
		object.MeshMetrics,
		{
			Name: "networking", Removed: def.RemovedIn3("Use a MeshPassthrough."), Doc: "How proxies handle traffic that leaves the mesh.",
			Type: def.Object{
				{Name: "outbound", Doc: "Outgoing traffic.", Type: def.Object{
					{
						Name: "passthrough", Type: def.Bool, Distinct: true,
						Doc: "Whether transparent proxies allow traffic to unknown destinations. Defaults to `true`.",
					},
				}},
			},
		},
		{
			Name: "routing", Type: meshRouting,
			Removed: def.RemovedIn3(
				"Use a MeshLoadBalancingStrategy to prefer local endpoints. Traffic to other zones and to external services always uses zone proxies."),
			Doc: "How traffic is routed between zones and out of the mesh.",
		},
		{
			Name: "constraints", Removed: def.RemovedIn3("Remove it: restrict the tokens of Dataplanes instead."),
			Doc: "Conditions that proxies must meet to join the mesh.", Type: def.Object{
				{Name: "dataplaneProxy", Doc: "Conditions that a Dataplane must meet.", Type: def.Object{
					def.List{Elem: tagSet}.Field("requirements",
						"Sets of tags. Every inbound must have all tags of at least one set. Without sets, all Dataplanes can join."),
					def.List{Elem: tagSet}.Field("restrictions", "Sets of tags that no inbound may have. They take precedence over `requirements`."),
				}},
			},
		},
		{
			Name: "skipCreatingInitialPolicies", Type: def.List{Elem: def.String},
			Removed: def.RemovedIn3("Remove it, or set it to null in a configuration for both releases: Kuma 3.0 creates no default policies."),
			Design:  def.Checks(def.Each(initialPolicy)),
			Doc: "Kinds of default policies that the control plane does not create with the mesh: " +
				"MeshTimeout, MeshCircuitBreaker, MeshRetry, or `*` for all. By default it creates all of them. " +
				"Only evaluated when the mesh is created.",
		},
		{
			Name: "meshServices", DefaultIn3: map[string]any{"mode": "Exclusive"}, Doc: "How MeshServices are generated from Dataplanes.",
			Type: def.Object{
				{
					Name: "mode", Type: def.String, OneOf: []string{"Disabled", "Everywhere", "ReachableBackends", "Exclusive"}, Default: "Disabled",
					RemovedOf: map[string]def.Removal{"Disabled": onlyExclusive, "Everywhere": onlyExclusive, "ReachableBackends": onlyExclusive},
					Doc: "`Disabled` generates no MeshServices. " +
						"`Everywhere` generates one per `kuma.io/service`, which proxies use in addition to the tags. " +
						"`ReachableBackends` does so only for proxies that set `reachable_backends`. " +
						"`Exclusive` uses MeshServices instead of the tags, and is required for MeshIdentity.",
				},
			},
		},
	},
	Checks:   def.Checks(check.ShortName(check.Name), check.DNSLabelName(check.Name), zoneEgressNeedsTLS),
	Creation: def.Checks(check.SecretsNeedMesh),
}

var onlyExclusive = def.RemovedIn3("Kuma 3.0 always addresses services as resources. Use Exclusive, or remove meshServices.")

var meshRouting = def.Object{
	def.Bool.Field("localityAwareLoadBalancing",
		"Whether to prefer instances in the zone of the client. "+
			"Only applies to services by tag; use MeshLoadBalancingStrategy for others. Defaults to `false`."),
	def.Bool.Field("zoneEgress",
		"Whether to send traffic to other zones and to external services through the zone egress. "+
			"Such traffic fails without a zone egress. Requires `enabled_backend` of `mtls`. Defaults to `false`."),
	def.Bool.Field("defaultForbidMeshExternalServiceAccess",
		"Whether to deny access to MeshExternalServices unless a MeshTrafficPermission allows it. Defaults to `false`."),
}

var tagSet = def.Object{
	def.StringMap{}.Required("tags", "Tags with their values; `*` matches any value.", def.TagPatterns()),
}

// zoneEgressNeedsTLS checks that mutual TLS is enabled for a zone egress, which
// distinguishes services by the server name in the TLS handshake.
var zoneEgressNeedsTLS = def.Check{Test: func(n tree.Node) []def.Problem {
	return def.ErrorIf(n.Get("routing", "zoneEgress").True() && n.Get("mtls", "enabledBackend").Empty(), n.Get("mtls"),
		"zoneEgress requires mutual TLS", "\"zoneEgress\" only works with mutual TLS. Set \"enabledBackend\" of \"mtls\", or remove zoneEgress.")
}}

// initialPolicy warns about a kind without default policies.
var initialPolicy = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	skipped := []string{MeshTimeout.Name, MeshCircuitBreaker.Name, MeshRetry.Name, "*"}
	if !ok || slices.Contains(skipped, s) {
		return nil
	}
	return []def.Problem{def.WarningAt(n, "Unknown default policy",
		fmt.Sprintf("%q is not the kind of a default policy. Valid values: %s.%s", s, phrase.Or(skipped...), phrase.Suggest(s, skipped)))}
}}

var authorityConf = def.Object{
	{Name: "caCert", Doc: "The certificate that a `builtin` authority generates for itself.", Type: def.Object{
		{Name: "RSAbits", Type: def.Int, Distinct: true, Doc: "Size of the key in bits, at least `1024`. Defaults to `2048`."},
		def.String.Field("expiration", "Lifetime of the certificate, such as `5y`. Defaults to `10y`.", check.CalendarDuration),
	}},
	{Name: "cert", Type: object.DataSourceOrFile(false), Design: def.Checks(object.OneSource), Doc: "Certificate of a `provided` authority."},
	{Name: "key", Type: object.DataSourceOrFile(true), Design: def.Checks(object.OneSource), Doc: "Private key of a `provided` authority."},
}

// authority is one certificate authority of a mesh.
var authority = def.Object{
	def.String.Field("name", "Name of the backend."),
	def.String.Required("type",
		"Source of the certificate authority: `builtin` generates one, `provided` uses yours.", def.OneOf("builtin", "provided").At(def.Objects)),
	{Name: "dpCert", Doc: "Certificates of the proxies.", Type: def.Object{
		{Name: "rotation", Required: true, Doc: "Rotation of the certificates.", Type: def.Object{
			def.String.Required("expiration",
				"Lifetime of a certificate, such as `1d`. Certificates are renewed before they expire.", check.CalendarDuration),
		}},
		def.ProtoDuration.Field("requestTimeout", "Timeout for issuing a certificate."),
	}},
	{
		Name: "conf", FreeForm: true, Type: authorityConf,
		Doc: "Settings of the authority, by `type`: `ca_cert` for `builtin`, `cert` and `key` for `provided`.",
	},
	{
		Name: "mode", Type: def.String, OneOf: []string{"STRICT", "PERMISSIVE"}, Default: "STRICT",
		Doc: "With `STRICT`, proxies only accept mutual TLS traffic of the mesh. With `PERMISSIVE` they also accept plaintext, for migrations.",
	},
	{Name: "rootChain", Doc: "Requests for the root certificates.", Type: def.Object{
		def.ProtoDuration.Field("requestTimeout", "Timeout of a request. Defaults to `10s`."),
	}},
}

var meshTLS = def.Object{
	def.String.Field("enabledBackend",
		"Name of the backend to use. If unset, mutual TLS is disabled. To switch to another backend, disable mutual TLS first."),
	def.List{Elem: authority}.Field("backends",
		"Certificate authorities. At most one is allowed.", def.Items(0, 1).At(def.Rule), def.UniqueOrEmpty("name"), def.Each(check.Authority)),
	def.Bool.Field("skipValidation",
		"Whether to store the mesh without loading the certificate and key of its backend first. "+
			"Set it to `true` to create a mesh with a `provided` authority from Secrets, which can only be created after the mesh. "+
			"Defaults to `false`."),
}

// MutualTLS reports whether a mesh issues certificates to all of its proxies.
func MutualTLS(mesh kuma.Resource) bool {
	return tree.Root(mesh.Body).Get("mtls", "enabledBackend").Filled()
}

// PermissiveTLS reports whether the mutual TLS of a mesh accepts plaintext, too.
func PermissiveTLS(mesh kuma.Resource) bool {
	mtls := tree.Root(mesh.Body).Get("mtls")
	enabled, _ := mtls.Get("enabledBackend").Text()
	return enabled != "" && slices.ContainsFunc(mtls.Get("backends").Items(), func(b tree.Node) bool {
		return b.Get("name").Value() == enabled && b.Get("mode").Value() == "PERMISSIVE"
	})
}

// ExclusiveMeshServices reports whether services of a mesh are addressed as
// resources only, and not by the tag kuma.io/service.
func ExclusiveMeshServices(mesh kuma.Resource) bool {
	mode, _ := tree.Root(mesh.Body).Get("meshServices", "mode").Text()
	return mode == "Exclusive"
}

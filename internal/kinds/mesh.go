package kinds

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
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
			Name: "mtls", Type: meshTLS, Checks: def.Checks(backendNamed("enabledBackend")),
			Doc: "Mutual TLS between the proxies of the mesh. It is off when unset.",
		},
		{
			Name: "tracing", Type: meshTracing, Checks: def.Checks(backendNamed("defaultBackend")),
			Doc: "Tracing backends in the old form.", Deprecated: "Use MeshTrace.",
		},
		{
			Name: "logging", Type: meshLogging, Checks: def.Checks(backendNamed("defaultBackend")),
			Doc: "Access log backends in the old form.", Deprecated: "Use MeshAccessLog.",
		},
		{
			Name: "metrics", Type: meshMetrics, Checks: def.Checks(backendNamed("enabledBackend")),
			Doc: "Metrics backends in the old form.", Deprecated: "Use MeshMetric.",
		},
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
	Checks:    def.Checks(shortName(nameOf), dnsLabelName(nameOf), zoneEgressNeedsTLS),
	Creation:  def.Checks(secretsNeedMesh),
	Readiness: meshReadiness,
}

var meshTLS = def.Object{
	{
		Name: "enabledBackend", Type: def.String,
		Doc: "Name of the backend in use. Mutual TLS is off when unset. To change to another backend, turn it off in between.",
	},
	{
		Name: "backends", Type: def.List{Elem: authority},
		Doc:    "Certificate authorities, at most one.",
		Checks: def.Checks(def.Items(0, 1).At(def.Rule), def.Unique("name"), def.Each(authoritySettings)),
	},
	{
		Name: "skipValidation", Type: def.Bool,
		Doc: "Store the mesh without trying to load certificate and key of its backend. They are tried when unset.",
	},
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
				Name: "expiration", Type: def.String, Required: true, Checks: def.Checks(calendarDuration),
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
		Name: "tags", Type: def.Map{Elem: def.String}, Required: true, Checks: def.Checks(def.Tags(tagPattern)),
		Doc: "Tags with their values; `*` stands for any value.",
	},
}

// Values of tags, in a Dataplane and in what selects one.
var (
	tagValue   = regexp.MustCompile(`^[A-Za-z0-9._:/-]+$`)
	tagPattern = regexp.MustCompile(`^([A-Za-z0-9._:/-]+|\*)$`)
)

var calendar = regexp.MustCompile(`^(0|[0-9]+(y|w|d|h|m|s|ms))$`)

// calendarDuration checks the durations of certificates, which know days.
var calendarDuration = def.Check{
	Doc: "Digits and one unit of `y`, `w`, `d`, `h`, `m`, `s` and `ms`.",
	Test: func(n tree.Node) []def.Problem {
		if s, ok := n.Text(); ok && !calendar.MatchString(s) {
			return []def.Problem{def.ErrorAt(n, "Invalid "+n.Key(), fmt.Sprintf("%q is no duration of this kind: write digits and one unit of y, w, d, h, m, s and ms, such as \"10d\" or \"36h\".", s))}
		}
		return nil
	},
}

// backendNamed checks that a member names one of the backends next to it.
func backendNamed(member string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		chosen, backends := n.Get(member), n.Get("backends")
		name, ok := chosen.Text()
		if !ok || name == "" || backends.Unknown() {
			return nil
		}
		var names []string
		for _, b := range backends.Items() {
			if b.Unknown() || b.Get("name").Unknown() {
				return nil
			}
			if s, ok := b.Get("name").Text(); ok {
				names = append(names, s)
			}
		}
		if slices.Contains(names, name) {
			return nil
		}
		return []def.Problem{def.ErrorAt(chosen, "There is no such backend", fmt.Sprintf("%q is none of the backends of this block. Name one of them, or add it.%s", name, phrase.Suggest(name, names)))}
	}}
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

// ExclusiveMeshServices reports whether services of a mesh are addressed as
// resources only, and not by the tag kuma.io/service.
func ExclusiveMeshServices(mesh kuma.Resource) bool {
	mode, _ := tree.Root(mesh.Body).Get("meshServices", "mode").Text()
	return mode == "Exclusive"
}

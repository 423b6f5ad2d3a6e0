package rollout

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// certificatesModel is what is known about the certificates of the proxies.
type certificatesModel struct {
	Issuers       map[string]int64 `tfsdk:"issuers"`
	Without       []string         `tfsdk:"without"`
	WithoutCount  int64            `tfsdk:"without_count"`
	Expiring      []string         `tfsdk:"expiring"`
	ExpiringCount int64            `tfsdk:"expiring_count"`
	First         types.String     `tfsdk:"first_expiry"`
	Ready         bool             `tfsdk:"ready"`
}

func newCertificatesModel(c rollout.Certificates) *certificatesModel {
	m := certificatesModel{
		Issuers: map[string]int64{}, Ready: c.Ready, First: optionalTime(c.First),
		Without: list(c.Without[:min(maxProxies, len(c.Without))]), WithoutCount: int64(len(c.Without)),
		Expiring: list(c.Expiring[:min(maxProxies, len(c.Expiring))]), ExpiringCount: int64(len(c.Expiring)),
	}
	for issuer, n := range c.Issuers {
		m.Issuers[issuer] = int64(n)
	}
	return &m
}

func certificatesAttribute() schema.Attribute {
	names := func(doc string) schema.Attribute {
		return tfschema.ComputedTexts(fmt.Sprintf("%s At most %d names, in ascending order.", doc, maxProxies))
	}
	return tfschema.ComputedObject("The certificates of the connected Dataplanes. Those that connect later get theirs then.", map[string]schema.Attribute{
		"issuers":        schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: describe("certificates.issuers")},
		"without":        names("Names of Dataplanes without a certificate, which send and accept only plaintext."),
		"without_count":  tfschema.ComputedNumber("Number of Dataplanes without a certificate."),
		"expiring":       names("Names of Dataplanes whose certificate expires within `expires_within`, or has expired."),
		"expiring_count": tfschema.ComputedNumber("Number of Dataplanes whose certificate expires soon."),
		"first_expiry":   tfschema.ComputedText("When the first certificate expires, in RFC 3339 format. Null without certificates."),
		"ready":          schema.BoolAttribute{Computed: true, MarkdownDescription: describe("certificates.ready")},
	})
}

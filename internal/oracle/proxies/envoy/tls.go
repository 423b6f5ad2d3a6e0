package envoy

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
)

// ClientTLS is how a proxy connects with TLS.
type ClientTLS struct {
	ServerName string
	Protocols  []string // of ALPN
	Names      []string // URIs of the certificate

	side side // zero if only the names are known
}

// side is one side of a handshake.
type side struct {
	config  *Config
	context *tls.CommonTlsContext
}

// names returns the URIs of the certificate.
func (s side) names() ([]string, error) {
	chain, err := s.certificates()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, uri := range chain[0].URIs {
		names = append(names, uri.String())
	}
	return names, nil
}

// certificates returns the certificate and the ones that lead to its authority.
func (s side) certificates() ([]*x509.Certificate, error) {
	secret, err := s.secret(s.certificateName())
	if err != nil {
		return nil, err
	}
	return parse(secret.GetTlsCertificate().GetCertificateChain())
}

func (s side) certificateName() string {
	for _, c := range s.context.GetTlsCertificateSdsSecretConfigs() {
		return c.GetName()
	}
	return ""
}

func (s side) secret(name string) (*tls.Secret, error) {
	if secret := s.config.Secrets[name]; secret != nil {
		return secret, nil
	}
	return nil, fmt.Errorf("the proxy has no secret %q", name)
}

// verify returns why this side does not accept the certificate of the other one.
func (s side) verify(peer side) error {
	chain, err := peer.certificates()
	if err != nil {
		return err
	}
	combined := s.context.GetCombinedValidationContext()
	validation, err := s.secret(combined.GetValidationContextSdsSecretConfig().GetName())
	if err != nil {
		return err
	}
	if wanted := combined.GetDefaultValidationContext().GetMatchTypedSubjectAltNames(); len(wanted) > 0 {
		ok, err := anyOf(wanted, func(m *tls.SubjectAltNameMatcher) (bool, error) {
			return anyOf(chain[0].URIs, func(uri *url.URL) (bool, error) { return matchString(m.GetMatcher(), uri.String()) })
		})
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("the certificate is for %v, not for %v", chain[0].URIs, wanted)
		}
	}
	return trusted(chain, validation.GetValidationContext())
}

// trusted reports whether a certificate leads to one of the authorities.
func trusted(chain []*x509.Certificate, context *tls.CertificateValidationContext) error {
	authorities := context.GetTrustedCa()
	if custom := context.GetCustomValidatorConfig(); custom != nil {
		var spiffe tls.SPIFFECertValidatorConfig
		if err := custom.GetTypedConfig().UnmarshalTo(&spiffe); err != nil {
			return err
		}
		authorities = nil
		for _, domain := range spiffe.GetTrustDomains() {
			if len(chain[0].URIs) > 0 && chain[0].URIs[0].Host == domain.GetName() {
				authorities = domain.GetTrustBundle()
			}
		}
	}
	if authorities == nil {
		return fmt.Errorf("no authority for %v is trusted", chain[0].URIs)
	}
	roots, err := parse(authorities)
	if err != nil {
		return err
	}
	options := x509.VerifyOptions{
		Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	}
	for _, c := range roots {
		options.Roots.AddCert(c)
	}
	for _, c := range chain[1:] {
		options.Intermediates.AddCert(c)
	}
	_, err = chain[0].Verify(options)
	return err
}

func parse(source *core.DataSource) ([]*x509.Certificate, error) {
	rest := source.GetInlineBytes()
	if rest == nil {
		rest = []byte(source.GetInlineString())
	}
	var list []*x509.Certificate
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, errors.New("there is no certificate in the secret")
	}
	return list, nil
}

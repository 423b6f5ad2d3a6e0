package check

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var authorityName = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)

// Authority checks a certificate authority of a Mesh: the backend name of a
// builtin one becomes part of the names of Secrets, and a provided one must
// contain a certificate and its key.
var Authority = def.Check{
	Doc: "`provided` requires `cert` and `key` in `conf`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		skip := n.Root().Get("mtls", "skipValidation")
		switch {
		case kind == "builtin":
			return append(secretName(n), keySize(n)...)
		case kind == "provided" && !skip.True() && !skip.Unknown():
			conf := n.Get("conf")
			var problems []def.Problem
			for _, name := range []string{"cert", "key"} {
				problems = append(problems, append(BackendNeeds(conf, kind, name), emptySource(conf.Get(name))...)...)
			}
			return append(problems, keyPair(conf)...)
		}
		return nil
	},
}.At(def.Objects)

// SecretsNeedMesh warns about Secrets in a new Mesh: they cannot exist before the
// mesh, and an authority is loaded when the mesh is written.
var SecretsNeedMesh = def.Check{Test: func(n tree.Node) []def.Problem {
	mtls := n.Get("mtls")
	if skip := mtls.Get("skipValidation"); skip.True() || skip.Unknown() {
		return nil
	}
	var problems []def.Problem
	for _, backend := range mtls.Get("backends").Items() {
		if kind, _ := backend.Get("type").Text(); kind != "provided" {
			continue
		}
		for _, field := range []string{"cert", "key"} {
			if secret := backend.Get("conf", field, "secret"); secret.Filled() {
				problems = append(problems, def.WarningAt(secret, "Secret cannot exist yet",
					"The control plane loads the certificate authority when it creates the mesh, but a Secret can only be created in an existing mesh. "+
						"Set \"skipValidation\" of \"mtls\" to true, so that the control plane stores the mesh first, and create the Secrets after it."))
			}
		}
	}
	return problems
}}

func secretName(backend tree.Node) []def.Problem {
	const longest = 255
	n := backend.Get("name")
	name, _ := n.Text()
	meshName, _ := n.Root().Get("name").Text()
	switch {
	case name == "":
		return nil
	case !authorityName.MatchString(name):
		return []def.Problem{def.ErrorAt(n, "Invalid name",
			fmt.Sprintf(
				"%q is not a valid name. It becomes part of the name of a Secret, so it must consist of lowercase letters, digits, \"-\", \".\" and "+
					"\"_\", and must begin and end with a letter or digit.", name))}
	case len(meshName+".ca-builtin-cert-"+name) > longest:
		return []def.Problem{def.ErrorAt(n, "Name is too long",
			fmt.Sprintf("%q and the name of the mesh become part of the name of a Secret, which can have at most %d characters. Use a shorter name.",
				name, longest))}
	}
	return nil
}

// keySize checks the size of the key that a builtin authority generates for
// itself. The control plane answers a request for a shorter one with an internal
// error (validation.md, Mesh).
func keySize(backend tree.Node) []def.Problem {
	const shortest = 1024
	n := backend.Get("conf", "caCert", "RSAbits")
	bits, ok := n.Int()
	return def.ErrorIf(ok && bits != 0 && bits < shortest, n, "Key is too short",
		"The key has %d bits, but it must have at least %d. Use a larger number, or omit the field.", bits, shortest)
}

// keyPair checks a certificate and a key that are both in the document.
func keyPair(conf tree.Node) []def.Problem {
	n, key := conf.Get("cert"), conf.Get("key")
	pair, problems := readKeyPair(n, key)
	switch {
	case problems != nil:
		return problems
	case pair.Leaf != nil && !pair.Leaf.IsCA:
		return []def.Problem{def.ErrorAt(n, "Not a certificate authority",
			"The certificate in \"cert\" must be that of a certificate authority (basic constraint CA).")}
	}
	return nil
}

// KeyPair checks that a certificate and a private key that are both in the document belong together.
func KeyPair(cert, key tree.Node) []def.Problem {
	_, problems := readKeyPair(cert, key)
	return problems
}

func readKeyPair(cert, key tree.Node) (pair tls.Certificate, problems []def.Problem) {
	content, okCert := inline(cert)
	private, okKey := inline(key)
	if !okCert || !okKey {
		return tls.Certificate{}, nil
	}
	pair, err := tls.X509KeyPair(content, private)
	if err != nil {
		problems = []def.Problem{def.ErrorAt(cert, "Invalid certificate or private key",
			fmt.Sprintf("%q and %q must contain a certificate and its private key, both in PEM format.", cert.Key(), key.Key()))}
	}
	return pair, problems
}

// emptySource reports the fields of a data source that are set to an empty string.
func emptySource(source tree.Node) []def.Problem {
	var problems []def.Problem
	for _, field := range []string{"secret", "file", "inline"} {
		if s, ok := source.Get(field).Text(); ok && s == "" {
			problems = append(problems, def.ErrorAt(source.Get(field), "Empty "+field,
				"The source of a certificate or key must not be empty. Set a value, or remove it."))
		}
	}
	return problems
}

// inline returns the content of a data source if it is in the document.
func inline(source tree.Node) ([]byte, bool) {
	for _, n := range []tree.Node{source.Get("inlineString"), source.Get("insecureInline", "value")} {
		if s, ok := n.Text(); ok && s != "" {
			return []byte(s), true
		}
	}
	s, ok := source.Get("inline").Text()
	data, err := base64.StdEncoding.DecodeString(s)
	return data, ok && err == nil && s != ""
}

// BackendNeeds reports a field of a backend's conf that is missing and that a
// backend of its type requires.
func BackendNeeds(conf tree.Node, kind, field string) []def.Problem {
	m := conf.Get(field)
	return def.ErrorIf(m.Empty(), m, field+" is missing", "A backend of type %s must set %q in its conf.", kind, field)
}

// BackendNamed checks that a field names one of the backends next to it.
func BackendNamed(field string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		chosen, backends := n.Get(field), n.Get("backends")
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
		return []def.Problem{def.ErrorAt(chosen, "Unknown backend",
			fmt.Sprintf("%q is not a backend of this block. Use the name of an existing backend, or add a backend with this name.%s", name,
				phrase.Suggest(name, names)))}
	}}
}

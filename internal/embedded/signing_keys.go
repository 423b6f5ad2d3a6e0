package embedded

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// signingKeys are the keys for one kind of token: secrets named <prefix>-<serial>, of
// which the highest serial signs, so that adding one with the next serial rotates them
// (rest-api.md §16). A real control plane creates the first one with the mesh, or when
// it starts. This one never creates a secret: tokens are issued during plans, which
// must not write to the directory.
type signingKeys struct {
	*Server
	kind   def.Kind
	mesh   kuma.Resource // the zero value for a kind outside meshes
	prefix string
}

// issue returns the response to a request for a token with the given claims.
func (k signingKeys) issue(claims any) (int, any, error) {
	serial, key, err := k.current()
	if err != nil {
		return 0, nil, err
	}
	token, err := sign(key, strconv.Itoa(serial), claims)
	return http.StatusOK, plain(token), err
}

// current returns the signing key and its serial: the latest in the directory, or else
// that of this server, which is not stored.
func (k signingKeys) current() (int, *rsa.PrivateKey, error) {
	serial, err := k.latest()
	if err != nil {
		return 0, nil, err
	}
	if serial == 0 {
		key, err := k.temporaryKey()
		return 1, key, err
	}
	key, err := k.load(serial)
	return serial, key, err
}

func newKey() (*rsa.PrivateKey, error) {
	const bits = 2048
	return rsa.GenerateKey(rand.Reader, bits)
}

// latest returns the highest serial, 0 without a key.
func (k signingKeys) latest() (int, error) {
	names, err := k.files.names(path.Join(k.kind.Path, k.mesh.Name))
	highest := 0
	for _, name := range names {
		text, ok := strings.CutPrefix(name, k.prefix+"-")
		if serial, err := strconv.Atoi(text); ok && err == nil {
			highest = max(highest, serial)
		}
	}
	return highest, err
}

func (k signingKeys) name(serial int) string { return fmt.Sprintf("%s-%d", k.prefix, serial) }

func (k signingKeys) load(serial int) (*rsa.PrivateKey, error) {
	stored, err := k.Server.load(k.kind, k.mesh, k.name(serial))
	if err != nil {
		return nil, err
	}
	text, _ := stored.Body["data"].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("the secret %s does not contain a key in PEM format", k.name(serial))
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	other, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := other.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("the secret %s does not contain an RSA key", k.name(serial))
	}
	return key, nil
}

// sign returns a JSON Web Token (RFC 7519) with RS256 (RFC 7518 §3.3).
func sign(key *rsa.PrivateKey, id string, claims any) (string, error) {
	header, err := json.Marshal(object{{"alg", "RS256"}, {"kid", id}, {"typ", "JWT"}})
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode(header) + "." + encode(payload)
	digest := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return signed + "." + encode(signature), nil
}

// newID returns a random UUID (RFC 9562 §5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

package token

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// rotateSigningKey creates a key that signs tokens from then on.
func rotateSigningKey() actionKind {
	return actionKind{
		typeName: "kuma_rotate_signing_key",
		doc:      describe("rotate_action"),
		typeDoc:  "Type of the tokens that the key signs: `dataplane`, `user` or `zone`.",
		failure:  "Cannot rotate the signing key",
	}
}

type rotateModel struct {
	signerModel
	Keep types.Number `tfsdk:"keep_previous"`
}

// object implements [arguments]: rotations write different keys, and their serials must differ.
func (m rotateModel) object() kuma.Key { return m.signer().signingKeys() }

// validate implements [arguments].
func (m rotateModel) validate(diags *diag.Diagnostics) {
	m.signerModel.validate(diags)
	m.kept(diags)
}

// kept returns how many previous keys to keep.
func (m rotateModel) kept(diags *diag.Diagnostics) int {
	if m.Keep.IsNull() || m.Keep.IsUnknown() {
		return math.MaxInt
	}
	n, accuracy := m.Keep.ValueBigFloat().Int64()
	if n < 0 || accuracy != big.Exact {
		diags.AddAttributeError(path.Root("keep_previous"), "Invalid number",
			fmt.Sprintf("The number of keys must be an integer that is not negative, not %s.", m.Keep.ValueBigFloat().Text('g', -1)))
		return math.MaxInt
	}
	return int(n)
}

// rotation is the new key, and those that are deleted.
type rotation struct {
	signer
	next    signingKey
	deleted []signingKey
}

// change implements [arguments].
func (m rotateModel) change(ctx context.Context, in *store.Store) (change, error) {
	r := rotation{signer: m.signer()}
	keys, err := r.keys(ctx, in)
	if err != nil && !store.IsNotFound(err) { // the apply may create the mesh
		return nil, err
	}
	r.next = r.signingKey(1)
	if n := len(keys); n > 0 {
		last := keys[n-1]
		if last.serial == math.MaxInt {
			return nil, fmt.Errorf("%s has the highest serial number, so no key can follow it. "+
				"Delete it, which rejects the tokens that it signed, and rotate the key again", last.key)
		}
		r.next = r.signingKey(last.serial + 1)
	}
	var known diag.Diagnostics // validate has reported them
	r.deleted = keys[:max(0, len(keys)-m.kept(&known))]
	return r, nil
}

// touched implements [change].
func (r rotation) touched() ([]kuma.Key, string) {
	keys := []kuma.Key{r.next.key}
	for _, k := range r.deleted {
		keys = append(keys, k.key)
	}
	return keys,
		"The action would create or delete it. Set keep_previous so that it is kept, or rotate the key without the action: " +
			"add a resource for the new key, and remove that of the previous one."
}

// warning implements [change].
func (r rotation) warning(ctx context.Context, in *store.Store) (summary, detail string, err error) {
	if len(r.deleted) == 0 {
		return "", "", nil
	}
	proxies, err := r.connected(ctx, in)
	return "Tokens will be rejected", r.rejected("will be") + proxies, err
}

// rejected describes what the deletion of keys rejects.
func (r rotation) rejected(will string) string {
	return fmt.Sprintf("All %s that were signed with %s %s rejected. %s", r.signer, named(r.deleted), will, r.effect())
}

func named(keys []signingKey) string {
	return phrase.And(phrase.Each(keys, func(k signingKey) string { return k.key.Name })...)
}

// write implements [change].
func (r rotation) write(ctx context.Context, in *store.Store) error {
	key, err := newSigningKey(r.next.key)
	if err == nil {
		_, err = in.Resources(r.keyKind()).Compared().Create(ctx, key)
	}
	if _, taken := errors.AsType[*store.OverwrittenError](err); taken {
		return &controlplane.ExistsError{} // of another rotation, whose key nothing has signed with so far
	}
	return err
}

// isStored implements [change].
func (r rotation) isStored(ctx context.Context, in *store.Store) (bool, error) {
	_, err := in.Resources(r.keyKind()).Current(ctx, r.next.key)
	if store.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// finish implements [change].
func (r rotation) finish(ctx context.Context, in *store.Store, progress func(string)) error {
	progress(fmt.Sprintf("%s signs %s from now on.", r.next.key.Name, r.signer))
	for i, k := range r.deleted {
		if _, err := in.Resources(r.keyKind()).Delete(ctx, k.key, ""); err != nil {
			return fmt.Errorf("%w. Tokens that were signed with %s may still be valid. The new key signs already", err, named(r.deleted[i:]))
		}
	}
	if len(r.deleted) > 0 {
		progress(r.rejected("are"))
	}
	return nil
}

// newSigningKey returns a secret with a new key.
func newSigningKey(key kuma.Key) (kuma.Resource, error) {
	const bits = 2048
	private, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		return kuma.Resource{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)})
	return kuma.Resource{
		Type: key.Type, Mesh: key.Mesh, Name: key.Name,
		Body: map[string]any{"data": base64.StdEncoding.EncodeToString(text)},
	}, nil
}

package token

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// revokeTokens adds tokens to the list of those that the control plane rejects.
func revokeTokens() actionKind {
	return actionKind{
		typeName: "kuma_revoke_token",
		doc:      describe("revoke_action"),
		failure:  "Cannot revoke the tokens",
	}
}

type revokeModel struct {
	signerModel
	IDs types.Set `tfsdk:"ids" schema:"required"`
}

// object implements [arguments].
func (m revokeModel) object() kuma.Key { return m.signer().revocations() }

// validate implements [arguments].
func (m revokeModel) validate(diags *diag.Diagnostics) {
	m.signerModel.validate(diags)
	if !m.IDs.IsUnknown() && len(m.IDs.Elements()) == 0 {
		diags.AddAttributeError(path.Root("ids"), "Missing identifiers",
			"ids must contain the identifier of at least one token. With an empty list, no token would be revoked.")
	}
	for _, id := range m.IDs.Elements() {
		// A list with spaces has no effect on the tokens after them (rest-api.md §16.1).
		id, ok := id.(types.String)
		if ok && !id.IsUnknown() && (id.ValueString() == "" || strings.ContainsAny(id.ValueString(), separators+".") ||
			phrase.Printable(id.ValueString()) != id.ValueString()) {
			diags.AddError("Invalid identifier",
				"An element of ids is not the identifier of a token, which is its claim jti: "+
					"it must not be empty, and have no spaces, commas, dots or control characters.") // not on its line, which may contain a token
		}
	}
}

// separators are characters that no identifier has.
const separators = ", \t\r\n"

// revocation is a list of revoked tokens before and after some are added.
type revocation struct {
	signer
	ids    []string // those to revoke
	stored kuma.Resource
	before string
	after  []string
}

// change implements [arguments].
func (m revokeModel) change(ctx context.Context, in *store.Store) (change, error) {
	r := revocation{signer: m.signer()}
	for _, id := range m.IDs.Elements() {
		if id, ok := id.(types.String); ok {
			r.ids = append(r.ids, id.ValueString())
		}
	}
	slices.Sort(r.ids)
	if err := r.read(ctx, in); err != nil {
		return nil, err
	}
	r.after = r.listed()
	for _, id := range r.ids {
		if !slices.Contains(r.after, id) {
			r.after = append(r.after, id)
		}
	}
	return &r, nil
}

// read reads the list, which may not exist.
func (r *revocation) read(ctx context.Context, in *store.Store) error {
	var err error
	if r.stored, err = in.Resources(kinds.GlobalSecret).Current(ctx, r.revocations()); err != nil && !store.IsNotFound(err) {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(tree.Text(r.stored.Body["data"]))
	if err != nil {
		return fmt.Errorf("%s is not a list of tokens: %w", r.revocations(), err)
	}
	r.before = string(data)
	return nil
}

// listed returns the identifiers in the stored list.
func (r *revocation) listed() []string {
	return strings.FieldsFunc(r.before, func(c rune) bool { return strings.ContainsRune(separators, c) })
}

// done reports whether the stored list has all tokens in a form that the control plane reads.
func (r *revocation) done() bool {
	return strings.Join(r.after, ",") == strings.TrimSuffix(r.before, "\n")
}

// touched implements [change].
func (r *revocation) touched() ([]kuma.Key, string) {
	if r.done() {
		return nil, ""
	}
	return []kuma.Key{r.revocations()},
		"Its next apply would remove what the action adds. Add the identifiers to its data instead of using the action."
}

// warning implements [change].
func (r *revocation) warning(context.Context, *store.Store) (summary, detail string, err error) {
	if r.done() {
		return "", "", nil
	}
	return "Tokens will be revoked", r.rejected("will be"), nil
}

// rejected describes what the revocation rejects.
func (r *revocation) rejected(will string) string {
	return fmt.Sprintf("These %s %s rejected: %s. %s", r.signer, will, phrase.And(r.ids...), r.effect())
}

// write implements [change].
func (r *revocation) write(ctx context.Context, in *store.Store) error {
	if r.done() {
		return nil
	}
	secrets := in.Resources(kinds.GlobalSecret).Compared()
	next := kuma.Resource{
		Type: kinds.GlobalSecret.Name, Name: r.revocations().Name, Labels: r.stored.Labels,
		Body: map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(strings.Join(r.after, ",")))},
	}
	if r.stored.Name != "" {
		_, err := secrets.Replace(ctx, store.Update{Resource: next, Fingerprint: secrets.Fingerprint(r.stored)})
		return err
	}
	if err := r.awaitCreation(ctx, in); err != nil {
		return err
	}
	_, err := secrets.Create(ctx, next)
	overwritten, ok := errors.AsType[*store.OverwrittenError](err)
	if !ok {
		return err
	}
	restored, err := r.awaitRestored(ctx, in)
	if err == nil && !restored {
		err = fmt.Errorf("%w. The tokens of this action are revoked. Revoke those again that the other client has revoked", overwritten)
	}
	return err
}

// awaitRestored reports whether the client whose list was overwritten adds its tokens again,
// as an action of another process does when it reads back. In this process, nothing else
// writes the list meanwhile.
func (r *revocation) awaitRestored(ctx context.Context, in *store.Store) (bool, error) {
	if err := sleep(ctx, 2*settling); err != nil {
		return false, err
	}
	now := revocation{signer: r.signer}
	err := now.read(ctx, in)
	return len(now.listed()) > len(r.ids), err
}

// awaitCreation waits for a random time whether another client creates the list, such as the
// provider of another configuration, which Terraform starts at the same time. A control plane
// of Kuma cannot be asked to create a resource and never to replace it.
func (r *revocation) awaitCreation(ctx context.Context, in *store.Store) error {
	if in.ControlPlane.Embedded {
		return nil
	}
	const longest = 500 * time.Millisecond
	if err := sleep(ctx, rand.N(longest)); err != nil {
		return err
	}
	now := revocation{signer: r.signer}
	if err := now.read(ctx, in); err != nil || now.stored.Name == "" {
		return err
	}
	return &controlplane.ExistsError{}
}

// isStored implements [change].
func (r *revocation) isStored(ctx context.Context, in *store.Store) (bool, error) {
	now := revocation{signer: r.signer}
	if err := now.read(ctx, in); err != nil {
		return false, err
	}
	list := now.listed()
	return !slices.ContainsFunc(r.ids, func(id string) bool { return !slices.Contains(list, id) }), nil
}

// finish implements [change].
func (r *revocation) finish(_ context.Context, _ *store.Store, progress func(string)) error {
	if r.done() {
		progress("The tokens were already revoked.")
	} else {
		progress(r.rejected("are"))
	}
	return nil
}

// effect says what happens to the users of rejected tokens.
func (s signer) effect() string {
	switch s.tokenType {
	case controlplane.TokenOfDataplane:
		return "Proxies that are connected with such a token stay connected, and cannot connect again until they have a new token."
	case controlplane.TokenOfZone:
		return "Zone control planes and zone proxies that authenticate with such a token cannot connect again until they have a new token."
	default:
		return "Requests with such a token fail at once with status 401, also those of this provider if it uses one."
	}
}

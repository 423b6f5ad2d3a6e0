// Package token contains the ephemeral resources that issue tokens, and the actions
// that revoke them and rotate the keys that sign them.
package token

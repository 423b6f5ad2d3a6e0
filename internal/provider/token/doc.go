// Package token contains the ephemeral resources that issue tokens.
package token

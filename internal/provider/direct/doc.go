// Package direct answers the most frequent requests about resources of kinds without the
// framework, with the same result.
package direct

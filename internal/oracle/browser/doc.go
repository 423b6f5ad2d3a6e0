// Package browser tests the pages of the command in a real browser.
package browser

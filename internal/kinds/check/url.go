package check

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// IsURL reports whether a control plane accepts a string as a URL, with or
// without a scheme. It returns the same as IsURL of
// github.com/asaskevich/govalidator, which a control plane uses, except for
// what is inside brackets.
func IsURL(s string) bool {
	const shortest, longest = 4, 2082
	if len(s) < shortest || utf8.RuneCountInString(s) > longest || strings.HasPrefix(s, ".") {
		return false
	}
	parsed := s
	if strings.Contains(s, ":") && !strings.Contains(s, "://") {
		parsed = "http://" + s
	}
	u, err := url.Parse(parsed)
	switch {
	case err != nil, strings.HasPrefix(u.Host, "."):
		return false
	case u.Host == "" && u.Path != "" && !strings.Contains(u.Path, "."):
		return false
	}
	return urlPattern.MatchString(s)
}

var urlPattern = func() *regexp.Regexp {
	const (
		scheme = `((ftp|tcp|udp|wss?|https?)://)?`
		user   = `(\S+(:\S*)?@)?`
		ipv4   = `([1-9]\d?|1\d\d|2[01]\d|22[0-3]|24\d|25[0-5])(\.(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])){2}\.([0-9]\d?|1\d\d|2[0-4]\d|25[0-5])`
		ipv6   = `\[[0-9a-fA-F:.]+(%[0-9a-zA-Z]+)?\]`
		first  = `([a-zA-Z0-9]([a-zA-Z0-9_-]+)?[a-zA-Z0-9]([-.][a-zA-Z0-9]+)*)`
		sub    = `((www\.)|([a-zA-Z0-9]+([-_.]?[a-zA-Z0-9])*[a-zA-Z0-9]\.[a-zA-Z0-9]+))?`
		label  = `([a-zA-Z\x{00a1}-\x{ffff}0-9]+-?-?)*[a-zA-Z\x{00a1}-\x{ffff}0-9]+`
		top    = `(\.[a-zA-Z\x{00a1}-\x{ffff}]+)?`
		host   = `(` + ipv4 + `|` + ipv6 + `|(` + first + `|` + sub + `)?` + label + top + `)\.?`
		port   = `(:\d{1,5})?`
		path   = `([/?#]\S*)?`
	)
	return regexp.MustCompile(`^` + scheme + user + host + port + path + `$`)
}()

package fetch

import (
	"net/url"
	"regexp"
	"strings"
)

// Shown is an address without the user name and the password that it may have: those are for the server alone.
func Shown(address string) string {
	u, err := url.Parse(address)
	switch {
	case err == nil && u.User == nil:
		return address
	case err == nil:
		u.User = nil
		return u.String()
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		return scheme + "://…" + rest[at:]
	}
	return address
}

// login is the user's part of an address inside a text: of a proxy, say.
var login = regexp.MustCompile(`://[^/\s"]*@`)

// shown is a text in which address may stand.
func shown(text, address string) string {
	return login.ReplaceAllString(strings.ReplaceAll(text, address, Shown(address)), "://")
}

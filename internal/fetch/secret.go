package fetch

import (
	"net/url"
	"regexp"
	"strings"
)

// Shown returns address without its user name and password, which only the server may see.
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

// login matches user name and password in any address of a text, for instance a proxy's.
var login = regexp.MustCompile(`://[^/\s"]*@`)

// shown returns text without user names and passwords; address may occur in it.
func shown(text, address string) string {
	return login.ReplaceAllString(strings.ReplaceAll(text, address, Shown(address)), "://")
}

package fetch

import (
	"net/url"
	"regexp"
	"strings"
)

// HideSecrets returns address without what only the server may see: user name and password, and what follows a question
// mark, which may be a token.
func HideSecrets(address string) string {
	address, _, cut := strings.Cut(address, "?")
	end := ""
	if cut {
		end = "?…"
	}
	u, err := url.Parse(address)
	switch {
	case err == nil && u.User == nil:
		return address + end
	case err == nil:
		u.User = nil
		return u.String() + end
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		return scheme + "://…" + rest[at:] + end
	}
	return address + end
}

// login matches user name and password in any address of a text, for instance a proxy's.
var login = regexp.MustCompile(`://[^/\s"]*@`)

// query matches what follows the question mark in any address of a text, for instance that of a redirect.
var query = regexp.MustCompile(`(://[^?\s"]*)\?[^\s"]*`)

// hideSecrets returns text without user names, passwords and queries; address may occur in it.
func hideSecrets(text, address string) string {
	text = login.ReplaceAllString(strings.ReplaceAll(text, address, HideSecrets(address)), "://")
	return query.ReplaceAllString(text, "$1?…")
}

//go:build !amd64 || purego

package set

var sets = []set{{generic, func() bool { return true }}}

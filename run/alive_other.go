//go:build !linux && !darwin

package run

func bootID() string       { return "" }
func pidNamespace() string { return "" }
func zombie(int) bool      { return false }

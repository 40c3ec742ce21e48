//go:build !purego && !linux

package kernel

// grantsTiles reports that nobody has tried AMX on this system.
func grantsTiles() bool { return false }

//go:build !purego

package kernel

var gemmAVX2 = gemmSet{}

//go:build !purego

package kernel

var vecAVX2 = vecGeneric

// Package kernel does the arithmetic of the operations on flat float32 slices, as fast as this machine can.
//
// Every kernel has a plain Go twin (…Generic) that defines it. A Set is one implementation of all of them; the first
// set whose OK holds is used, and tests hold every other set against the generic one. Set ATTNCONV_KERNELS to a set's name to force it.
package kernel

//go:build !linux || !mpi

package mpi

import "runtime"

// Join returns a *JoinError: this program cannot.
func Join(l Launch, _ func(string) string) (*World, error) {
	if runtime.GOOS != "linux" {
		return nil, unavailable("ranks of MPI train on Linux only")
	}
	return nil, unavailable("this program was built without MPI, and was started as one of several ranks (%s)\n"+
		"  one with MPI, in a copy of the source: go build -tags mpi ./cmd/attnconv", l)
}

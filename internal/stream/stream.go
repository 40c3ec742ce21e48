// Package stream names the random streams of a run. Every random number of the program is a function of the run's seed
// and the path of what it is for ("init/model.classifier.weight", "shuffle/3"), never of the order of
// events: neither the number of workers nor a resume can shift a stream.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Key returns the 64-bit key of the stream called path under seed.
func Key(seed uint64, path string) uint64 {
	return binary.LittleEndian.Uint64(sum(seed, path))
}

// Rand returns a generator for the stream called path under seed. It is not safe for concurrent use.
func Rand(seed uint64, path string) *rand.Rand {
	s := sum(seed, path)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:])))
}

func sum(seed uint64, path string) []byte {
	h := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, seed), path...))
	return h[:16]
}

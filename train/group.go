package train

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// A Group is the processes that train one network together, as one of them sees it. All of them call Exchange and Gather
// in the same order, with slices of the same lengths; both return when the result is there. The slices do not overlap.
//
// An error is for good: the others may wait for this process, so the caller ends the job.
type Group interface {
	Rank() int // of this process: 0 to Size-1
	Size() int
	// Exchange sends block i of send to rank i, and sets block i of receive to what rank i sent here. There are Size blocks, of
	// one length.
	Exchange(receive, send []float32) error
	// Gather sets block i of all to what rank i gives as own.
	Gather(all, own []float32) error
}

// gatherBytes returns what each rank of g gives, in the order of the ranks, all of the same length.
func gatherBytes(g Group, own []byte) ([][]byte, error) {
	values := make([]float32, len(own)) // a byte each: what an element of a float may not survive is no concern then
	for i, b := range own {
		values[i] = float32(b)
	}
	all := make([]float32, g.Size()*len(own))
	if err := g.Gather(all, values); err != nil {
		return nil, err
	}
	var texts [][]byte
	for part := range slices.Chunk(all, max(1, len(own))) {
		text := make([]byte, len(part))
		for i, v := range part {
			text[i] = byte(v)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// Disagree is the error if ranks that are to train together were not given the same.
type Disagree struct {
	What string // what differs: "the settings"
	Rank int    // the first rank to which something else was given than to rank 0
}

func (e *Disagree) Error() string {
	return fmt.Sprintf("train: rank %d and rank 0 do not agree on %s: want the same on all ranks", e.Rank, e.What)
}

// Agree returns a *Disagree, on every rank, unless text is the same on all ranks of g.
func Agree(g Group, what, text string) error {
	digest := sha256.Sum256([]byte(text))
	all, err := gatherBytes(g, digest[:])
	if err != nil {
		return err
	}
	for rank, other := range all {
		if !slices.Equal(other, all[0]) {
			return &Disagree{what, rank}
		}
	}
	return nil
}

// broadcastFloats is how many elements are broadcast at a time, at most.
const broadcastFloats = 1 << 18

// broadcast sets values to those of rank 0.
func broadcast(g Group, values []float32) error {
	all := make([]float32, g.Size()*min(len(values), broadcastFloats))
	for part := range slices.Chunk(values, broadcastFloats) {
		got := all[:g.Size()*len(part)]
		if err := g.Gather(got, part); err != nil {
			return err
		}
		copy(part, got)
	}
	return nil
}

// first returns the first text that is not empty, in the order of the ranks, cut to a length that all of them send.
func first(g Group, text string) (string, error) {
	const most = 256 // bytes
	own := make([]byte, most)
	copy(own, text)
	all, err := gatherBytes(g, own)
	if err != nil {
		return "", err
	}
	for _, other := range all {
		if other[0] != 0 {
			end := slices.Index(other, 0)
			if end < 0 {
				end = most
			}
			return string(other[:end]), nil
		}
	}
	return "", nil
}

package train

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/internal/fault"
)

// A Group is the processes that train one network together, as one of them sees it. All of them call Exchange and
// Gather in the same order, with slices of the same lengths; both return when the result is there. The slices do not
// overlap.
//
// An error is for good: the others may wait for this process, so the caller ends the job.
type Group interface {
	Rank() int // of this process: 0 to Size-1
	Size() int
	// Exchange sends block i of send to rank i, and sets block i of receive to what rank i sent here. There are Size
	// blocks, of one length.
	Exchange(receive, send []float32) error
	// Gather sets block i of all to what rank i gives as own.
	Gather(all, own []float32) error
}

// gatherBytes returns what each rank of g gives, in the order of the ranks, all of the same length.
func gatherBytes(g Group, own []byte) ([][]byte, error) {
	values := make([]float32, len(own)) // a byte each, so that every element survives as a float
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

// mostText is the longest text that a rank may give.
const mostText = 1 << 20

// Texts returns what each rank of g gives, in the order of the ranks. All ranks call it together, and get the same.
func Texts(g Group, own string) ([]string, error) {
	if len(own) > mostText {
		return nil, fmt.Errorf("a text of %d bytes for the other ranks: want %d at most", len(own), mostText)
	}
	lengths, err := gatherBytes(g, binary.BigEndian.AppendUint32(nil, uint32(len(own))))
	if err != nil {
		return nil, err
	}
	longest := uint32(0)
	for _, length := range lengths {
		longest = max(longest, binary.BigEndian.Uint32(length))
	}
	padded, err := gatherBytes(g, append([]byte(own), make([]byte, int(longest)-len(own))...))
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(padded))
	for i, length := range lengths {
		texts[i] = string(padded[i][:binary.BigEndian.Uint32(length)])
	}
	return texts, nil
}

// DisagreementError is the error if ranks that are to train together were not given the same.
type DisagreementError struct {
	What string // what differs: "the settings"
	Rank int    // the first rank to which something else was given than to rank 0
}

func (e *DisagreementError) Error() string {
	return fmt.Sprintf("rank %d and rank 0 do not agree on %s: want the same on all ranks", e.Rank, e.What)
}

// agree returns a *DisagreementError, on every rank, unless text is the same on all ranks of g.
func agree(g Group, what, text string) error {
	digest := sha256.Sum256([]byte(text))
	all, err := gatherBytes(g, digest[:])
	if err != nil {
		return err
	}
	for rank, other := range all {
		if !slices.Equal(other, all[0]) {
			return &DisagreementError{what, rank}
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

// SharedError is an error that every rank of a group returns, each in its turn. ReportedElsewhere is true if another
// rank tells the user.
type SharedError struct {
	Err               error
	ReportedElsewhere bool
}

func (e *SharedError) Error() string { return e.Err.Error() }
func (e *SharedError) Unwrap() error { return e.Err }

// ShareError returns nil if err is nil on all ranks of g, else a *SharedError on all of them: of err, or of what
// another rank says. A nil g is one rank, and returns err.
func ShareError(g Group, err error) error {
	if g == nil || g.Size() == 1 {
		return err
	}
	const most = 64 // a flag, and a digest
	own := make([]byte, most)
	if err != nil {
		digest := sha256.Sum256([]byte(err.Error()))
		own[0] = 1
		copy(own[1:], digest[:])
	}
	all, failed := gatherBytes(g, own)
	if failed != nil {
		return failed
	}
	rank := slices.IndexFunc(all, func(text []byte) bool { return text[0] == 1 })
	switch {
	case rank < 0:
		return nil
	case err == nil:
		return &SharedError{fault.Errorf(fault.Done, "rank %d cannot train", rank), true}
	}
	return &SharedError{err, rank < g.Rank() && slices.Equal(all[rank], own)}
}

package sets

import (
	"fmt"

	"github.com/attnconv/attnconv/data"
)

// Placeholder returns the set called name with all images black, for what depends on their number alone: how long a run
// takes. It is nil for a set that does not come as files, and for one whose size is not known.
func Placeholder(name string) *data.Set {
	k := Kinds.Find(name)
	if !k.comesAsFiles() {
		return nil
	}
	format := k.format()
	black := func(n int) data.Split {
		s := data.NewSplit(format, n, false)
		for i := range s.Labels {
			s.Labels[i] = int32(i % len(k.Classes))
		}
		return s
	}
	return &data.Set{
		Format: format, Name: name, Classes: k.Classes, Train: black(k.Train), Test: black(k.Test),
		Note: fmt.Sprintf("%s is not there: black images stand for it", name), HeldOut: k.ValSize,
		Stream: holdoutOf(name),
	}
}

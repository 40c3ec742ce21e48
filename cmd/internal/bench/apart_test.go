package bench

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhyNothingWasMeasured(t *testing.T) {
	p := Point{Preset: "tiny", Batch: 7}
	for _, tt := range []struct{ name, words, want string }{
		{"an error of its own", "error: model: no memory\n  try less\n", "tiny, batch 7: model: no memory\n  try less"},
		{"killed", "", "tiny, batch 7: the measuring process ended: signal: killed\n" +
			"  is there too little memory? a smaller --batch needs less"},
		{"out of memory", "fatal error: runtime: out of memory\n\nruntime stack:", "tiny, batch 7: the measuring " +
			"process ended: signal: killed\n  is there too little memory? a smaller --batch needs less"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, measureError(p, errors.New("signal: killed"), tt.words).Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

package accelerator

import (
	"testing"

	"github.com/attnconv/attnconv/train"
)

func unset(string) string { return "" }

func TestTheCPUHasTwoPrecisions(t *testing.T) {
	if d, err := Open("cpu", train.Float32, unset); err != nil || d.GPU() || d.String() != "cpu" || d.Why != "" {
		t.Errorf("cpu is %+v, %v", d, err)
	}
	if _, err := Open("cpu", train.BFloat16, unset); err != nil {
		t.Error(err)
	}
	_, err := Open("cpu", "tf32", unset)
	if want := "train.precision tf32: the CPU has float32 and bfloat16"; err == nil || err.Error() != want {
		t.Errorf("said %v, want %s", err, want)
	}
}

package memory

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

func TestTotal(t *testing.T) {
	if n := Total(); runtime.GOOS == "linux" && (n < 1<<27 || n > 1<<50) {
		t.Errorf("the machine has %d bytes", n)
	}
}

func TestFloats(t *testing.T) {
	if v, err := Floats(1000); len(v) != 1000 || err != nil {
		t.Errorf("%d zeros, %v", len(v), err)
	}
	if Total() == 0 {
		t.Skip("the size of the memory is unknown on this system")
	}
	var large *TooLargeError
	if err := Check(Total() + 1); !errors.As(err, &large) {
		t.Errorf("one byte more than there is: %v", err)
	}
	if _, err := Floats(int(Total()/4) + 1); !errors.As(err, &large) ||
		!strings.Contains(err.Error(), "GB of memory; this machine has") {
		t.Errorf("one value more than fits: %v", err)
	}
}

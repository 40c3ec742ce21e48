package sets

import (
	"testing"

	"github.com/attnconv/attnconv/data"
)

// What stands for CIFAR is as large as CIFAR, and is divided likewise.
func TestPlaceholderIsAsLarge(t *testing.T) {
	for name, classes := range map[string]int{"cifar10": 10, "cifar100": 100} {
		s := Placeholder(name)
		train, val, test, err := s.Split(data.Default())
		if err != nil || train.Len() != 45_000 || val.Len() != 5_000 || test.Len() != 10_000 ||
			len(s.Classes) != classes {
			t.Errorf("%s: %d, %d, %d images of %d classes (%v)", name, train.Len(), val.Len(), test.Len(),
				len(s.Classes), err)
		}
		if s.Digest.Train != "" || s.Published {
			t.Errorf("%s passes for the published images", name)
		}
	}
	if Placeholder("./images") != nil {
		t.Error("the size of a folder is not known")
	}
}

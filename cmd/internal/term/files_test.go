package term

import (
	"os"
	"testing"
)

func TestRefuseExistingRefusesWhatIsNoFile(t *testing.T) {
	for _, name := range []string{os.DevNull, t.TempDir()} {
		if err := RefuseExisting("-o", name, true); !Is[*UsageError](err) {
			t.Errorf("%s: %v, want a usage error", name, err)
		}
	}
}

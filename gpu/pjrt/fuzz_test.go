package pjrt

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/internal/accelerator"
)

// Check accepts a file or returns an *Unfit, whatever the file contains.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("no library\n"))
	f.Add([]byte("\x7fELF\x02\x01\x01" + string(make([]byte, 57))))
	path := filepath.Join(f.TempDir(), "plugin.so")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		unfit := (*accelerator.PluginError)(nil)
		if err := (Plugin{Path: path}).Check(); err != nil && !errors.As(err, &unfit) {
			t.Errorf("%T: %v", err, err)
		}
	})
}

package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// Memory that the system can reclaim counts as free, whether it was used recently or not.
func TestCached(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want int64
	}{
		"version 2": {"anon 100\nfile 50\nactive_file 20\ninactive_file 7\nshmem 23\n", 27},
		"version 1": {"cache 50\nactive_file 20\ninactive_file 7\ntotal_inactive_file 9\ntotal_active_file 21\n",
			30},
		"something else": {"active_file x\n\n", 0},
	} {
		file := filepath.Join(t.TempDir(), "memory.stat")
		if err := os.WriteFile(file, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := cacheBytes(file); got != tt.want {
			t.Errorf("%s: %d bytes, want %d", name, got, tt.want)
		}
	}
	if got := cacheBytes(filepath.Join(t.TempDir(), "none")); got != 0 {
		t.Errorf("no file: %d bytes", got)
	}
}

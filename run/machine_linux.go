package run

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func proc(file, key string) string {
	b, err := os.ReadFile("/proc/" + file)
	if err != nil {
		return ""
	}
	return field(string(b), key)
}

// procBytes reads a size in kB, as "4096 kB".
func procBytes(file, key string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(proc(file, key), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

func cpuName() string { return proc("cpuinfo", "model name") }

// PeakRSS returns the most memory that this process has held, in bytes; 0 where that is not known.
func PeakRSS() int64 { return procBytes("self/status", "VmHWM") }

// Free returns how many bytes may still be written in the folder dir; -1 where that is not known.
func Free(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * s.Bsize
}

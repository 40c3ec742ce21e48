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

// procBytes reads a size such as "4096 kB", in bytes.
func procBytes(file, key string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(proc(file, key), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

func cpuName() string { return proc("cpuinfo", "model name") }

// PeakRSS returns the peak resident set size of this process in bytes, or 0 if it is unknown.
func PeakRSS() int64 { return procBytes("self/status", "VmHWM") }

// Free returns the free space in the folder dir in bytes, or -1 if it is unknown.
func Free(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * s.Bsize
}

// field returns the value of the first line "key : value" of text, a file of /proc, or "".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

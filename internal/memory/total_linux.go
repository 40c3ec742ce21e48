package memory

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Total returns the bytes that the machine has, or the container that the program runs in; 0 where that is not known.
func Total() (bytes int64) {
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		if n, _ := fmt.Sscanf(string(b), "MemTotal: %d kB", &bytes); n == 1 {
			bytes <<= 10
		}
	}
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil { // "max" where there is no limit
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && limit > 0 {
			bytes = min(bytes, limit)
		}
	}
	return bytes
}

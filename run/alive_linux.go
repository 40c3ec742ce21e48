package run

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// bootID is drawn by the kernel at each start.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// space names the processes that this one sees: another container's PIDs mean other processes.
func space() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// zombie says whether a process has ended, but is still listed: its parent has not asked how.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // PID (NAME) STATE …; the name may hold anything
	if err != nil {
		return false
	}
	_, after, ok := bytes.Cut(b[bytes.LastIndexByte(b, ')')+1:], []byte(" "))
	return ok && len(after) > 0 && (after[0] == 'Z' || after[0] == 'X')
}

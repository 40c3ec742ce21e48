package memory

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Total returns the memory in bytes of the machine or, if that is less, the limit of the control group that this
// process is in (a container, a job); 0 if it is unknown.
func Total() (bytes int64) {
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		if n, _ := fmt.Sscanf(string(b), "MemTotal: %d kB", &bytes); n == 1 {
			bytes <<= 10
		}
	}
	for _, g := range groups() {
		if limit := readInt(g.dir + g.max); limit > 0 {
			bytes = min(bytes, limit)
		}
	}
	return bytes
}

// reserve is address space that the Go runtime may map beyond what it is asked for: it grows by arenas of 64 MB.
const reserve = 128 << 20

// limits lists the bytes that each limit on this process leaves.
func limits() (all []TooLargeError) {
	var space unix.Rlimit
	var pages int64
	b, err := os.ReadFile("/proc/self/statm")
	if err == nil && unix.Getrlimit(unix.RLIMIT_AS, &space) == nil && space.Cur < 1<<62 {
		fmt.Sscan(string(b), &pages)
		all = append(all, TooLargeError{Have: int64(space.Cur) - pages*int64(os.Getpagesize()) - reserve,
			Limit: fmt.Sprintf("the limit of the address space (ulimit -v %d)", space.Cur>>10)})
	}
	for _, g := range groups() {
		limit := readInt(g.dir + g.max)
		if limit <= 0 {
			continue
		}
		free := limit - readInt(g.dir+g.used) + cacheBytes(g.dir+"/memory.stat")
		all = append(all, TooLargeError{Have: free, Limit: fmt.Sprintf("the limit of this process's group (%s)",
			g.dir+g.max)})
	}
	return all
}

// A group is a control group that this process is in, with the names of its files.
type group struct{ dir, max, used string }

// groups lists the control groups of this process, of versions 1 and 2, innermost first.
func groups() (all []group) {
	b, _ := os.ReadFile("/proc/self/cgroup") // lines of ID:CONTROLLERS:PATH
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || f[1] != "" && !strings.Contains(","+f[1]+",", ",memory,") {
			continue
		}
		g := group{"/sys/fs/cgroup", "/memory.max", "/memory.current"}
		if f[1] != "" {
			g = group{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes"}
		}
		root := g.dir
		for at := path.Clean("/" + f[2]); ; at = path.Dir(at) {
			g.dir = strings.TrimSuffix(root+at, "/")
			all = append(all, g)
			if at == "/" {
				break
			}
		}
	}
	return all
}

// readInt returns the integer in a file. It is 0 if the file cannot be read or says that there is no limit: "max", or
// in version 1 the largest integer.
func readInt(file string) int64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil || n >= 1<<62 {
		return 0
	}
	return n
}

// cacheBytes reads from a group's memory.stat how many bytes cache files: the system reclaims them when memory is
// needed. Version 1 reports those of nested groups in the total_ lines.
func cacheBytes(file string) (bytes int64) {
	b, _ := os.ReadFile(file)
	own, total := int64(0), int64(0)
	for line := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch key {
		case "active_file", "inactive_file":
			own += n
		case "total_active_file", "total_inactive_file":
			total += n
		}
	}
	return max(own, total)
}

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

// Total returns the bytes that the machine has, or the group of processes that this one belongs to (a container, a job);
// 0 where that is not known.
func Total() (bytes int64) {
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		if n, _ := fmt.Sscanf(string(b), "MemTotal: %d kB", &bytes); n == 1 {
			bytes <<= 10
		}
	}
	for _, g := range groups() {
		if limit := number(g.dir + g.max); limit > 0 {
			bytes = min(bytes, limit)
		}
	}
	return bytes
}

// reserve is what the Go runtime may take of the address space beyond what it is asked for: it grows by arenas of 64 MB.
const reserve = 128 << 20

// limits lists what the limits on this process leave.
func limits() (all []TooLarge) {
	var space unix.Rlimit
	var pages int64
	b, err := os.ReadFile("/proc/self/statm")
	if err == nil && unix.Getrlimit(unix.RLIMIT_AS, &space) == nil && space.Cur < 1<<62 {
		fmt.Sscan(string(b), &pages)
		all = append(all, TooLarge{Have: int64(space.Cur) - pages*int64(os.Getpagesize()) - reserve,
			Limit: fmt.Sprintf("the limit of the address space (ulimit -v %d)", space.Cur>>10)})
	}
	for _, g := range groups() {
		limit := number(g.dir + g.max)
		if limit <= 0 {
			continue
		}
		free := limit - number(g.dir+g.used) + cached(g.dir+"/memory.stat")
		all = append(all, TooLarge{Have: free, Limit: fmt.Sprintf("the limit of this process's group (%s)", g.dir+g.max)})
	}
	return all
}

// A group is a control group that this process is in, with the names of its files.
type group struct{ dir, max, used string }

// groups lists the control groups of this process, from the innermost out, of version 2 and of version 1.
func groups() (all []group) {
	b, _ := os.ReadFile("/proc/self/cgroup") // NUMBER:CONTROLLERS:PATH
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

// number reads a file that holds one; "max", which is no limit, and what cannot be read are 0. So is the largest number of
// version 1, which stands for no limit there.
func number(file string) int64 {
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

// cached reads from a group's memory.stat how many bytes are pages of files: the system gives them back when memory is
// needed, those in use last. Version 1 counts those of groups within this one as total.
func cached(file string) (bytes int64) {
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

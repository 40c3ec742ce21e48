package run

import "golang.org/x/sys/unix"

func cpuName() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}

// PeakRSS returns the peak resident set size of this process in bytes, or 0 if it is unknown.
func PeakRSS() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Maxrss // bytes on this system
}

// Free returns the free space in the folder dir in bytes, or -1 if it is unknown.
func Free(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}

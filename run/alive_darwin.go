package run

import "golang.org/x/sys/unix"

// bootID is drawn by the kernel at each start.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

func space() string { return "" } // all processes see the same ones

// zombie says whether a process has ended, but is still listed: its parent has not asked how.
func zombie(pid int) bool {
	const ended = 5 // SZOMB of sys/proc.h
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && p.Proc.P_stat == ended
}

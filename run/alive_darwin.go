package run

import "golang.org/x/sys/unix"

// bootID returns the kernel's random identifier of this boot.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

func pidNamespace() string { return "" } // there is one PID namespace

// zombie reports whether a process has ended but its parent has not yet waited for it.
func zombie(pid int) bool {
	const szomb = 5 // sys/proc.h
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && p.Proc.P_stat == szomb
}

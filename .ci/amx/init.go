// Command init is the first process of the emulated machine: it switches AMX on, runs the tests, and stops the machine.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

func main() {
	runtime.LockOSThread() // whose system calls a filter changes, and those of what it starts
	err := test()
	fmt.Println("init: the tests have ended:", err)
	unix.IoctlSetInt(int(os.Stdout.Fd()), unix.TCSBRK, 1) // until all is sent
	unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
	select {}
}

func test() error {
	for _, name := range []string{"dev", "proc"} {
		if err := os.MkdirAll("/"+name, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("dev", "/dev", "devtmpfs", 0, ""); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return err
	}
	terminal, err := os.OpenFile("/dev/ttyS0", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	os.Stdout = terminal
	module, err := os.Open("/tiles.ko")
	if err != nil {
		return err
	}
	const anyKernel = unix.MODULE_INIT_IGNORE_MODVERSIONS | unix.MODULE_INIT_IGNORE_VERMAGIC
	if err := unix.FinitModule(int(module.Fd()), "", anyKernel); err != nil {
		return fmt.Errorf("tiles.ko: %w", err)
	}
	if err := grant(); err != nil {
		return err
	}
	arguments, err := os.ReadFile("/arguments")
	if err != nil {
		return err
	}
	c := exec.Command("/tests", strings.Fields(string(arguments))...)
	c.Env = []string{"ATTNCONV_KERNELS=amx", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1"} // this kernel saves no tiles
	c.Stdout, c.Stderr = terminal, terminal
	return c.Run()
}

// grant makes arch_prctl(ARCH_REQ_XCOMP_PERM, …) succeed, which this kernel, without XFD, refuses.
func grant() error {
	const number, firstArgument, request = 0, 16, 0x1023 // offsets in struct seccomp_data
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_ARCH_PRCTL},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: firstArgument},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: request},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO}, // with the number 0
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

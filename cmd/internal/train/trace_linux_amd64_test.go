package train_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// traced runs a program, and calls before ahead of every system call that changes a file in dir.
func traced(cmd *exec.Cmd, dir string, before func(call string) error) error {
	runtime.LockOSThread() // the thread that starts the program is the one that may trace it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	defer syscall.Kill(pid, syscall.SIGKILL)
	const mine = syscall.WALL | syscall.WNOTHREAD
	const stopped = syscall.SIGTRAP | 0x80
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &ws, mine, nil); err != nil {
		return err
	}
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD); err != nil {
		return err
	}
	if err := syscall.PtraceSyscall(pid, 0); err != nil {
		return err
	}
	inside := map[int]bool{} // threads that are in a system call
	for {
		tid, err := syscall.Wait4(-1, &ws, mine, nil)
		if err != nil {
			return err
		}
		if ws.Exited() || ws.Signaled() {
			if tid == pid {
				if ws.ExitStatus() != 0 {
					return fmt.Errorf("the run ended with %v", ws.ExitStatus())
				}
				return nil
			}
			continue
		}
		deliver := 0
		switch s := ws.StopSignal(); {
		case s == stopped:
			inside[tid] = !inside[tid]
			if inside[tid] {
				var regs syscall.PtraceRegs
				if err := syscall.PtraceGetRegs(tid, &regs); err == syscall.ESRCH {
					continue // another thread has ended the process
				} else if err != nil {
					return err
				}
				if call := change(tid, &regs, dir); call != "" {
					if err := before(call); err != nil {
						return err
					}
				}
			}
		case s != syscall.SIGTRAP && s != syscall.SIGSTOP:
			deliver = int(s)
		}
		if err := syscall.PtraceSyscall(tid, deliver); err != nil && err != syscall.ESRCH {
			return err
		}
	}
}

// change describes a system call that changes or syncs a file in dir; others are "".
func change(tid int, r *syscall.PtraceRegs, dir string) string {
	name, path := "", ""
	switch r.Orig_rax {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_FTRUNCATE:
		name = "write"
		path = opened(tid, r.Rdi)
	case syscall.SYS_FSYNC:
		path = opened(tid, r.Rdi)
		if rest, ok := strings.CutPrefix(path, dir); ok {
			return "sync " + rest
		}
	case syscall.SYS_OPENAT:
		if r.Rdx&syscall.O_CREAT == 0 {
			return ""
		}
		name, path = "create", at(tid, r.Rdi, r.Rsi)
	case syscall.SYS_UNLINKAT:
		name, path = "remove", at(tid, r.Rdi, r.Rsi)
	case syscall.SYS_MKDIRAT:
		name, path = "mkdir", at(tid, r.Rdi, r.Rsi)
	case syscall.SYS_RENAMEAT, 316: // renameat2
		name, path = "rename to", at(tid, r.Rdx, r.R10)
	case syscall.SYS_SYMLINKAT:
		name, path = "link", at(tid, r.Rsi, r.Rdx)
	case syscall.SYS_LINKAT:
		name, path = "link", at(tid, r.Rdx, r.R10)
	}
	if strings.HasSuffix(path, ".tmp") {
		return "" // nobody looks at it before it has its name
	}
	if rest, ok := strings.CutPrefix(path, dir); ok && name != "" {
		return name + " " + rest
	}
	return ""
}

// opened returns the path of a file descriptor of a traced thread.
func opened(tid int, fd uint64) string {
	path, _ := os.Readlink("/proc/" + strconv.Itoa(tid) + "/fd/" + strconv.Itoa(int(int32(fd))))
	return path
}

// at returns the path at an address of a traced thread; a relative one begins in the folder of a descriptor.
func at(tid int, folder, address uint64) string {
	path := text(tid, address)
	if in := opened(tid, folder); in != "" && !filepath.IsAbs(path) {
		path = filepath.Join(in, path)
	}
	return path
}

// text reads the string at an address of a traced thread.
func text(tid int, at uint64) string {
	b := make([]byte, 0, 4096)
	for len(b) < cap(b) {
		n, err := syscall.PtracePeekData(tid, uintptr(at)+uintptr(len(b)), b[len(b):len(b)+8])
		if err != nil || n == 0 {
			break
		}
		chunk := b[len(b) : len(b)+n]
		if i := slices.Index(chunk, 0); i >= 0 {
			return string(append(b, chunk[:i]...))
		}
		b = b[:len(b)+n]
	}
	return string(b)
}

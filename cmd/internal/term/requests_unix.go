//go:build unix

package term

import (
	"os/signal"
	"syscall"
)

// ignoreRequests ignores SIGUSR1, which would end a command that has nothing to save.
func ignoreRequests() { signal.Ignore(syscall.SIGUSR1) }

//go:build !linux && !darwin

package run

import "os"

func cpuName() string { return os.Getenv("PROCESSOR_IDENTIFIER") } // set on Windows

// PeakRSS returns the peak resident set size of this process in bytes, or 0 if it is unknown.
func PeakRSS() int64 { return 0 }

// Free returns the free space in the folder dir in bytes, or -1 if it is unknown.
func Free(string) int64 { return -1 }

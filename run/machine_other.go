//go:build !linux && !darwin

package run

import "os"

func cpuName() string { return os.Getenv("PROCESSOR_IDENTIFIER") } // set on Windows

// PeakRSS returns the most memory that this process has held, in bytes; 0 where that is not known.
func PeakRSS() int64 { return 0 }

// Free returns how many bytes may still be written in the folder dir; -1 where that is not known.
func Free(string) int64 { return -1 }

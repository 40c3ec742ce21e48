//go:build race

package gemm

const raceDetector = true // it drops what is put into pools now and then

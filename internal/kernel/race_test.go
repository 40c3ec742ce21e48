//go:build race

package kernel

const raceDetector = true // it drops what is put into pools now and then

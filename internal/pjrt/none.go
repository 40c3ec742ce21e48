//go:build !xla || !cgo || !linux

package pjrt

import "github.com/gomlx/compute"

// Built reports whether this program can open plugins.
const Built = false

// open is never called: see Finder.Open.
func open(Plugin, string) (compute.Backend, error) { return nil, notBuilt() }

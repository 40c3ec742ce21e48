//go:build xla && cgo && linux

package cmd

import _ "github.com/attnconv/attnconv/internal/xla" // registers what opens a GPU

//go:build (!amd64 && !arm64) || purego

package depthwise

// sets holds the routines by kernel set. A set inherits what it lacks.
var sets = map[string]routines{"generic": plain}

package foreign

import "testing"

// others are paths that are no regular files, and what they are.
func others(t *testing.T) map[string]string { return map[string]string{t.TempDir(): "got a folder"} }

package foreign

import "testing"

// others maps paths that are not regular files to the words that describe them.
func others(t *testing.T) map[string]string { return map[string]string{t.TempDir(): "got a folder"} }

package foreign

import (
	"slices"
	"strings"
)

// systemNames are files and folders that systems and programs make next to the user's, in small letters.
var systemNames = append(strings.Fields(`__macosx @eadir #recycle @recycle $recycle.bin recycler lost+found @tmp
	#snapshot __pycache__ thumbs.db ehthumbs.db desktop.ini`), "system volume information", "icon\r")

// Hidden reports whether a name in a folder is one that users do not see or have not made.
func Hidden(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains(systemNames, strings.ToLower(name))
}

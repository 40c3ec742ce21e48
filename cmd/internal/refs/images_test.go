package refs

import (
	"testing"

	"github.com/attnconv/attnconv/data/sets"
)

// A file of images in any format is not taken for a checkpoint; any other first argument is.
func TestSplitImages(t *testing.T) {
	for _, ext := range sets.ImageFiles {
		if ref, images := SplitImages([]string{"a" + ext}); ref != "" || len(images) != 1 {
			t.Errorf("a%s is taken for the checkpoint %q", ext, ref)
		}
	}
	if ref, images := SplitImages([]string{"a.ckpt", "-"}); ref != "a.ckpt" || len(images) != 1 || images[0] != "-" {
		t.Errorf("checkpoint %q, images %q", ref, images)
	}
}

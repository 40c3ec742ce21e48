package trained

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/torch"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/model/torchnames"
)

// IsForeign reports whether a file of weights is of another program: PyTorch's, or a safetensors file without the
// settings of this program.
func IsForeign(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	if torch.Is(path) {
		return true
	}
	h, err := ckpt.ReadHeader(path)
	if err != nil {
		return false
	}
	_, err = ckpt.ParseMeta(h.Meta)
	return err != nil
}

// maxSettings is the largest config.json in bytes.
const maxSettings = 1 << 20

// OpenVision reads a vision transformer of another program, with config.json and preprocessor_config.json if they are
// next to it. set chooses one of several sets of weights in the file, as torchnames.Choose does; heads is the number of
// heads, 0 for what the files say. The error says which tensor is not known, is missing or has another shape.
func OpenVision(path, set string, heads int) (*vision.Network, error) {
	f, chosen, err := readSet(path, set, vision.Marks()...)
	if err != nil {
		return nil, err
	}
	o := vision.Options{Heads: heads}
	for name, to := range map[string]*[]byte{"config.json": &o.Config, "preprocessor_config.json": &o.Preprocessor} {
		*to, err = foreign.ReadFile(filepath.Join(filepath.Dir(path), name), maxSettings)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	tensors := f.Tensors
	if chosen != nil {
		tensors = chosen.Cut(tensors)
	} else if other, _ := torchnames.Choose(namesOf(tensors), set); other != nil {
		return nil, fault.WithHint(fault.Errorf(fault.Corrupt, "%s: a network that can be imported, and not a vision "+
			"transformer of another program", path), "attnconv import "+filepath.Base(path)+" makes a checkpoint of it")
	}
	n, err := vision.New(tensors, o)
	if err != nil {
		return nil, fault.Errorf(fault.Corrupt, "%s: %w", path, err)
	}
	if chosen != nil && len(chosen.Others) > 0 {
		n.Facts.Notes = append(n.Facts.Notes, fmt.Sprintf("weights %s, because %s; --weights takes another set: %s",
			chosen.Name, chosen.Why, strings.Join(chosen.Others, ", ")))
	}
	return n, nil
}

func namesOf(tensors []ckpt.Tensor) (names []string) {
	for _, t := range tensors {
		names = append(names, t.Name)
	}
	return names
}

// Pictures are images for a vision transformer of another program: as they were drawn, and as it reads them.
type Pictures struct {
	data.Split
	vision.Images
	Files []string // their names
}

// ReadPictures reads image files, and the images in and below folders: the middle of each, at most so many of them,
// evenly from the list of all. broken says which files cannot be read. The error is as ReadImages has it, for no image
// at all.
func ReadPictures(n *vision.Network, most int, names ...string) (p Pictures, broken, err error) {
	var all []string
	for _, name := range names {
		inside, err := imagesIn(name)
		if err != nil {
			return p, nil, err
		}
		all = append(all, inside...)
	}
	if len(all) > most {
		chosen := make([]string, most)
		for i := range chosen {
			chosen[i] = all[i*len(all)/most]
		}
		all = chosen
	}
	side, colors := n.Facts.Image[0], len(n.Facts.Mean)
	large := max(side, int(math.Round(float64(side)/n.Facts.Crop)))
	whole, files, err := ReadImages(nil, data.FormatOf(large, large, colors), all...)
	if err != nil && len(files) == 0 {
		return p, nil, err
	}
	p.Files, p.Split = files, data.NewSplit(data.FormatOf(side, side, colors), len(files), false)
	at := (large - side) / 2
	for i := range p.Pixels {
		image, color, row, col := i/p.Size(), i/(side*side)%colors, i/side%side, i%side
		p.Pixels[i] = whole.Pixels[((image*colors+color)*large+at+row)*large+at+col]
	}
	p.Images = vision.Images{Count: len(files), At: func(i int) []float32 {
		x := make([]float32, 0, p.Size())
		for j, v := range p.Bytes(i) {
			c := j / (side * side)
			x = append(x, float32((float64(v)/255-n.Facts.Mean[c])/n.Facts.Std[c]))
		}
		return x
	}}
	return p, err, nil
}

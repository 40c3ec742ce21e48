package refs

import (
	"path/filepath"
	"strconv"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/cmd/internal/term"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
	"github.com/attnconv/attnconv/session/trained"
)

// Foreign is what a file of weights of another program may not say.
type Foreign struct {
	Heads   int    // 0: as the file says, or a guess
	Weights string // set of weights; "": see trained.OpenVision
}

// Flags adds --heads and --weights.
func (o *Foreign) Flags(f term.Flags) {
	f.Number(&o.Heads, "heads", "N", "heads of a network of another program whose file does not have their number", 1)
	f.Text(&o.Weights, "weights", "", "NAME", "set of weights in a file of another program that has several", nil)
}

// Words are the flags that were given, for a command line.
func (o Foreign) Words() (words []string) {
	if o.Heads > 0 {
		words = append(words, "--heads", strconv.Itoa(o.Heads))
	}
	if o.Weights != "" {
		words = append(words, "--weights", o.Weights)
	}
	return words
}

// Open opens a vision transformer of another program for a command, which does something with at most so many of the
// pictures in from.
func (o Foreign) Open(c *term.Console, command, doing, path string, most int, from []string) (net *vision.Network,
	pictures trained.Pictures, err error) {
	if len(from) == 0 {
		return nil, pictures, term.Usagef("attnconv "+command+" "+filepath.Base(path)+" DIR",
			"no pictures: want a folder of them behind %s", visible.Word(path))
	}
	if net, err = trained.OpenVision(path, o.Weights, o.Heads); err != nil {
		return nil, pictures, err
	}
	pictures, broken, err := trained.ReadPictures(net, most, from...)
	if broken != nil {
		c.Warn(broken.Error() + "\n  " + doing + " the " + table.Count(pictures.Count, "other picture"))
	}
	return net, pictures, err
}

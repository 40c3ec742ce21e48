package posenc

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/own"
)

// Register adds a kind of encoding at the end of Kinds. The program then has it wherever it has its own: as
// model.encoding, with the kind's options as flags, configuration keys and axes of sweeps; in networks, checkpoints and
// figures; and inferred from weights that have its parameters' names.
//
// Call it in an init function or in main, before anything else of this module: it must not run while Kinds is read. It
// panics, with an error that says what is wrong, if the name is taken or is none, if New is nil, or if Options cannot be
// options.
func Register(k Kind) {
	if err := k.check(); err != nil {
		panic(fmt.Errorf("posenc.Register: %w", err))
	}
	k.registered = true
	Kinds = append(Kinds, k)
}

func (k Kind) check() error {
	if err := k.group().Check(Kinds.Names(), nil); err != nil {
		return err
	}
	if k.New == nil {
		return fmt.Errorf("encoding %s: New is nil: want the function that makes it", k.Name)
	}
	return nil
}

// group is the kind's own options.
func (k Kind) group() own.Group { return own.Group{What: "encoding", Name: k.Name, Options: k.Options} }

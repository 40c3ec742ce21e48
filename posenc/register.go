package posenc

import "github.com/attnconv/attnconv/internal/own"

// Register adds a kind of encoding at the end of Kinds. The program then offers it wherever it offers its own kinds: as
// model.encoding, with the kind's options as flags, configuration keys and axes of sweeps; in networks, checkpoints and
// figures. It also infers the kind from weights with the names of its parameters.
//
// Call it in an init function or in main, before anything else of this module, because it must not run while Kinds is
// read. It panics if the name is empty or taken, if New is nil, or if Options cannot be options. The error says what is
// wrong.
func Register(k Kind) {
	lacks := ""
	if k.New == nil {
		lacks = "New is nil: want the function that makes it"
	}
	k.registered = true
	Registry.Add(k, nil, lacks)
}

// Registry is Kinds with the kinds' own options.
var Registry = own.Registry[Kind]{List: &Kinds, What: "encoding", Key: "encoding", Setting: "model.encoding",
	By: "posenc.Register", Options: func(k Kind) any { return k.Options }}

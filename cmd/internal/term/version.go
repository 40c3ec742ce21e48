package term

import "github.com/attnconv/attnconv"

// Documents lists the documents of the program without a command.
var Documents = []Document{{Command: "version", Value: attnconv.Build{}}}

// Version prints the versions of the program and its libraries.
func (c *Console) Version() error {
	v := attnconv.ReadBuild()
	return c.Show(v, func(c *Console) error { return c.WriteText(v.String()) })
}

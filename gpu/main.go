// Command gpu is attnconv with a device for GPUs: every command takes --device gpu. It is experimental, and has not run
// on a GPU yet. It needs a C compiler, and Linux.
package main

import (
	"context"
	"os"

	"github.com/attnconv/attnconv/cmd"
	_ "github.com/attnconv/attnconv/gpu/xla" // registers what opens a GPU
)

func main() {
	os.Exit(cmd.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

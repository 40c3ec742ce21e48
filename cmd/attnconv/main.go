// Command attnconv trains networks of self-attention that can act as convolutions, and shows what they learn.
package main

import (
	"context"
	"os"

	"github.com/attnconv/attnconv/cmd"
)

func main() {
	os.Exit(cmd.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

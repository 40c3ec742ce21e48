package main

import (
	"context"
	"os"

	"github.com/attnconv/attnconv/cmd"
	"github.com/attnconv/attnconv/posenc"
)

func main() {
	posenc.Register(Kind)
	os.Exit(cmd.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Command site makes the documentation's web site from the repository's Markdown: static files for any host, also for a
// browser without a server. The same files give the same bytes. It fails on a link, an anchor or a formula that does
// not work.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "../..", "`folder` of the repository")
	out := flag.String("out", "../../site", "`folder` to write, which may hold an older site")
	demo := flag.String("demo", "", "`file` that attnconv serve --export wrote: the live demo")
	flag.Parse()
	if err := build(*root, *out, *demo); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

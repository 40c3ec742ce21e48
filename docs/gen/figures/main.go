// Command figures draws every figure of the documentation, in light and dark. From docs/gen:
//
//	go run ./figures                # all of them; it trains two small networks, so it takes minutes
//	go run ./figures heads sharpen  # some of them, by name
//
// It also writes the gallery of docs/figures.md, with the command of each.
// Figures come from the runs of attnconv runs examples, from runs that it trains, from docs/data, or from equations.
// Each has the version of the program that drew it; identify -verbose, exiftool and strings show it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// folder is where the figures are, from the root of the repository.
const folder = "docs/figures"

func main() {
	root := flag.String("root", "../..", "`folder` of the repository")
	flag.Parse()
	if err := write(context.Background(), *root, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// write draws the figures with these names, or all.
func write(ctx context.Context, root string, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.name == name }) {
			return fmt.Errorf("no figure %q", name)
		}
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	p, err := newProgram(ctx, root)
	if err != nil {
		return err
	}
	defer p.close()
	for _, f := range figures {
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		for _, theme := range themes {
			b, err := f.draw(p, theme)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			name := f.file(theme)
			if err := os.WriteFile(filepath.Join(root, folder, name), b, 0o644); err != nil {
				return err
			}
			fmt.Printf("%7d  %s\n", len(b), name)
		}
	}
	return writeGallery(root)
}

// Command reference writes the reference of commands (Markdown) and the manual pages, from the commands themselves, and
// the reference of JSON documents, files and lines from the types that they are written from.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "../..", "`folder` of the repository")
	reference := flag.String("reference", "", "write the reference to this `file`")
	man := flag.String("man", "", "write the manual pages into this `folder`")
	json := flag.String("json", "", "write the reference of JSON documents to this `file`")
	flag.Parse()
	if err := write(*root, *reference, *man, *json); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func write(root, reference, man, json string) error {
	program, err := read("attnconv", "Train self-attention networks that can act as convolutions", false)
	if err != nil {
		return err
	}
	if reference != "" {
		if err := os.WriteFile(reference, []byte(commands(program)), 0o644); err != nil {
			return err
		}
	}
	if json != "" {
		s, err := readSchema(root)
		if err != nil {
			return err
		}
		text, err := s.markdown()
		if err != nil {
			return err
		}
		if err := os.WriteFile(json, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if man == "" {
		return nil
	}
	if err := os.MkdirAll(man, 0o755); err != nil {
		return err
	}
	return program.writeManual(man, nil)
}

package main

import (
	"os"
	"testing"
)

// docs/json.md is what package document says, every document and field of which has a comment.
func TestJSONReference(t *testing.T) {
	s, err := readSchema("../../..")
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.markdown()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../json.md")
	if err != nil || string(got) != want {
		t.Errorf("docs/json.md is not up to date: make docs (%v)", err)
	}
}

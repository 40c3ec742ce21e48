package main

import (
	"os"
	"strings"
	"testing"
)

// README.md is short, and has the table that its file gives.
func TestResultsInREADME(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "\n"); n > 120 {
		t.Errorf("README.md has %d lines, want at most 120", n)
	}
	want, err := withResults(string(page), "../../docs/data/results.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != want {
		t.Error("README.md does not have the results of docs/data/results.json: make docs")
	}
}

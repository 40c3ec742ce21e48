package main

import (
	"os"
	"testing"
)

// README.md has the table that its file gives.
func TestResultsInREADME(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := withResults(string(page), "../../docs/data/results.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != want {
		t.Error("README.md does not have the results of docs/data/results.json: make docs")
	}
}

package clitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/attnconv/attnconv/cmd/internal/term"
)

// Find returns the document that a command writes when it is called with args, or nil.
func Find(documents []term.Document, command string, args []string) *term.Document {
	var usual *term.Document
	for i, d := range documents {
		switch {
		case d.Command != command:
		case d.If == "":
			usual = &documents[i]
		case hasFlag(args, d.If):
			return &documents[i]
		}
	}
	return usual
}

// hasFlag reports whether args have a flag or, if that is a flag and its value, the flag with that value.
func hasFlag(args []string, flag string) bool {
	flag, want, valued := strings.Cut(flag, " ")
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if name == flag && (!valued || value == want) {
			return true
		}
	}
	return false
}

// Decode reads a document as strictly as it is written: with every key that its type has, and no other. It returns a
// value of the type of d.Value or of one of d.Or.
func Decode(d *term.Document, text []byte) (any, error) {
	v, err := decodeAs(text, d.Value)
	for i := 0; err != nil && i < len(d.Or); i++ {
		if other, err := decodeAs(text, d.Or[i]); err == nil {
			return other, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the document of %s: %w", d.Command, err)
	}
	return v, nil
}

// decodeAs returns a value of the type of like.
func decodeAs(text []byte, like any) (any, error) {
	v := reflect.New(reflect.TypeOf(like))
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v.Interface()); err != nil {
		return nil, err
	}
	again, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal(again, &want)); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("it lacks keys:\n%s\nwhere its type has\n%s", text, again)
	}
	return v.Elem().Interface(), nil
}

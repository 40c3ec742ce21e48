package stream

import "testing"

// These values must never change: they define what a seed means.
func TestStreamsStay(t *testing.T) {
	if got, want := Key(0, "dropout/model."), uint64(14521096307909143023); got != want {
		t.Errorf("Key = %d, want %d", got, want)
	}
	if got, want := Rand(7, "init/model.classifier.weight").Uint64(), uint64(12173981180296470607); got != want {
		t.Errorf("first value %d, want %d", got, want)
	}
	if Key(0, "a") == Key(1, "a") || Key(0, "a") == Key(0, "b") {
		t.Error("two streams have one key")
	}
}

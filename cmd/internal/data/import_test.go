package data

import (
	"context"
	"errors"
	"testing"
)

func TestUntilDoneReturnsWhatComesFirst(t *testing.T) {
	if got, err := untilDone(t.Context(), func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("got %d, %v; want 7", got, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	hold := make(chan struct{})
	defer close(hold)
	stop()
	if _, err := untilDone(ctx, func() (int, error) { <-hold; return 7, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was stopped", err)
	}
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v, want the panic of the work", p)
		}
	}()
	untilDone(t.Context(), func() (int, error) { panic("broken") })
}

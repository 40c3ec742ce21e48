package network

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/data"
)

// manyHeads is a layer of heads that look at each of four tokens alike, with maps of one number.
func manyHeads(n int) []array {
	return []array{{"attention", fmt.Sprintf("(%d, 4, 4)", n), uniform(16*n, 0.25)},
		{"maps", fmt.Sprintf("(%d, 1, 1)", n), uniform(n, 1)}}
}

// What would take too long is refused before it is begun, and the error says what helps.
func TestArraysAreRefusedByTheirCost(t *testing.T) {
	path := savez(t, manyHeads(4096)...)
	begin := time.Now()
	_, err := Arrays(t.Context(), path, Options{Draws: 100}, nil)
	if bad := (*data.CorruptError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(),
		"multiplications: want 1e+12 at most\n  fewer layers") {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	if _, err := Arrays(t.Context(), savez(t, manyHeads(16)...), Options{Draws: 100}, nil); err != nil {
		t.Error(err)
	}
}

// Usual layers of published networks are measured: 24 layers of ViT-L/16 with a grid of 14 × 14, and DeiT-S with 100
// images.
func TestUsualLayersAreAffordable(t *testing.T) {
	for name, c := range map[string]cost{"ViT-L": costOf(1, 16, 196, 1024, 1024, 100),
		"DeiT-S": costOf(100, 6, 196, 384, 384, 100)} {
		if 24*c.work > mostWork || c.bytes > 1<<29 {
			t.Errorf("%s: %v", name, c)
		}
	}
}

// A layer under way is left as soon as the context is done. This one takes five seconds, the first of them for a
// decomposition that goes on.
func TestArraysStopInsideALayer(t *testing.T) {
	path := savez(t, manyHeads(512)...)
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan bool, 1)
	go func() {
		<-begun
		time.Sleep(20 * time.Millisecond)
		cancel()
	}()
	begin := time.Now()
	_, err := Arrays(ctx, path, Options{Draws: 400}, func(string, ...any) { begun <- true })
	if took := time.Since(begin); !errors.Is(err, context.Canceled) || took > 3*time.Second {
		t.Errorf("after %v: %v, want that it was stopped", took, err)
	}
}

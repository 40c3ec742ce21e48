package ckpt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/attnconv/attnconv/internal/memory"
)

// The longest header that is accepted, full of the smallest tensors, is read in time; a longer one is refused unread.
func TestLongHeaders(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; b.Len() < maxHeader-100; i++ {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"%x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	b.WriteString("}")
	start := time.Now()
	h, err := ReadHeader(save(t, raw(b.String(), nil)))
	if err != nil || len(h.Tensors) < 50_000 {
		t.Fatalf("%d bytes of header: %v", b.Len(), err)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	_, err = ReadHeader(save(t, raw("{"+strings.Repeat(" ", maxHeader)+"}", nil)))
	if bad := (*CorruptError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(),
		"a header of 4194306 bytes; at most 4194304") {
		t.Errorf("got %v, want that the header is too long", err)
	}
}

// A sparse file can declare more elements than the machine has memory for, without taking any disk.
func TestReadAllocatesNoMoreThanTheMachineHas(t *testing.T) {
	have := memory.Total()
	if have == 0 {
		t.Skip("the size of the memory is unknown on this system")
	}
	n := have/4 + 1
	head := fmt.Sprintf(`{"w":{"dtype":"BF16","shape":[%d],"data_offsets":[0,%d]}}`, n, 2*n)
	path := filepath.Join(t.TempDir(), "x.ckpt")
	b := raw(head, nil)
	if err := errors.Join(os.WriteFile(path, b, 0o666), os.Truncate(path, int64(len(b))+2*n)); err != nil {
		t.Skip(err)
	}
	_, err := Read(path)
	if bad := (*CorruptError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(),
		"GB of memory; this machine has") {
		t.Errorf("got %v, want that there is too little memory", err)
	}
}

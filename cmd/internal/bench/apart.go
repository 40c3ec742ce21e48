package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// apart measures p in a child process, which reads p as JSON from standard input, calls Measure and writes the row as
// JSON to standard output. Rows then share neither memory nor the state of the garbage collector.
func apart(ctx context.Context, child *exec.Cmd, p Point) (*Row, error) {
	var in, out, errs bytes.Buffer
	child.Stdin, child.Stdout, child.Stderr = &in, &out, &errs
	p.Started = time.Now()
	if err := json.NewEncoder(&in).Encode(p); err != nil {
		return nil, err
	}
	err := child.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, measureError(p, err, errs.String())
	}
	row := &Row{}
	if err := json.Unmarshal(out.Bytes(), row); err != nil {
		return nil, fmt.Errorf("the output of the measuring process: %w", err)
	}
	return row, nil
}

// measureError is the error for p, whose process ended with err and wrote stderr.
func measureError(p Point, err error, stderr string) error {
	said, ok := strings.CutPrefix(strings.TrimSpace(stderr), "error: ")
	if !ok { // killed, or stopped by the Go runtime
		said = fmt.Sprintf("the measuring process ended: %v\n"+
			"  is there too little memory? a smaller --batch needs less", err)
	}
	return fmt.Errorf("%s, batch %d: %s", p.Preset, p.Batch, said)
}

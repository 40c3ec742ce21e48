package train

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/table"
)

// DeviceName names the device: cpu, or what a GPU's plugin calls it.
func DeviceName(d Device) string {
	switch d := d.(type) {
	case nil:
		return "cpu"
	case fmt.Stringer:
		return d.String()
	default:
		return d.Name()
	}
}

// Where names the device on which so many ranks take steps, with its precision or the threads and kernels of the CPU.
func (o Options) Where(ranks int) string {
	if o.Device != nil {
		return fmt.Sprintf("gpu: %s, %s", DeviceName(o.Device), o.Precision)
	}
	where := fmt.Sprintf("cpu, %s, %s", table.Count(threads.Limit(), "thread"), kernel.Name())
	if ranks > 1 {
		where = fmt.Sprintf("cpu, %d ranks of %s, %s", ranks, table.Count(threads.Limit(), "thread"), kernel.Name())
	}
	if o.onCPUInBFloat16() {
		where += ", bfloat16"
	}
	return where
}

// SlowBFloat16 reports whether the CPU computes products in bfloat16 and gains no speed over float32.
func (o Options) SlowBFloat16() bool { return o.onCPUInBFloat16() && !gemm.FasterInBF16() }

func (o Options) onCPUInBFloat16() bool { return o.Device == nil && o.Precision == BFloat16 }

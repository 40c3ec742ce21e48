package pjrt

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// halved is a backend that rounds the factors of every product to bfloat16: matrix products and convolutions, forward
// and backward, wherever both factors are float32. Sums are float32, and so is the result, so that parameters, norms,
// softmaxes and the solver keep their precision and a checkpoint is the same. A bfloat16 has the range of a float32:
// no scaling of the loss is needed.
type halved struct{ compute.Backend }

type halvedBuilder struct{ compute.Builder }

type halvedFunction struct{ compute.Function }

func (b halved) Builder(name string) compute.Builder { return halvedBuilder{b.Backend.Builder(name)} }

func (b halvedBuilder) Main() compute.Function { return halvedFunction{b.Builder.Main()} }

func (b halvedBuilder) NewFunction(name string) (compute.Function, error) {
	f, err := b.Builder.NewFunction(name)
	return halvedFunction{f}, err
}

func (f halvedFunction) Call(other compute.Function, inputs ...compute.Value) ([]compute.Value, error) {
	if h, ok := other.(halvedFunction); ok {
		other = h.Function
	}
	return f.Function.Call(other, inputs...)
}

func (f halvedFunction) DotGeneral(a compute.Value, aSum, aBatch []int, b compute.Value, bSum, bBatch []int,
	config compute.DotGeneralConfig,
) (compute.Value, error) {
	x, y, halved, err := f.halve(a, b)
	if err != nil {
		return nil, err
	}
	if halved {
		config = compute.DotGeneralConfig{AccumulatorDType: dtypes.Float32, OutputDType: dtypes.Float32}
	}
	return f.Function.DotGeneral(x, aSum, aBatch, y, bSum, bBatch, config)
}

func (f halvedFunction) ConvGeneral(input, kernel compute.Value, axes compute.ConvolveAxesConfig, strides []int,
	paddings [][2]int, inputDilations, kernelDilations []int, channelGroups, batchGroups int,
) (compute.Value, error) {
	x, w, halved, err := f.halve(input, kernel)
	if err != nil {
		return nil, err
	}
	y, err := f.Function.ConvGeneral(x, w, axes, strides, paddings, inputDilations, kernelDilations, channelGroups,
		batchGroups)
	if err != nil || !halved {
		return y, err
	}
	return f.ConvertDType(y, dtypes.Float32)
}

// halve rounds two factors to bfloat16 if both are float32.
func (f halvedFunction) halve(a, b compute.Value) (x, y compute.Value, halved bool, err error) {
	for _, v := range []compute.Value{a, b} {
		s, err := f.Shape(v)
		if err != nil {
			return nil, nil, false, err
		}
		if s.DType != dtypes.Float32 {
			return a, b, false, nil
		}
	}
	if x, err = f.ConvertDType(a, dtypes.BFloat16); err != nil {
		return nil, nil, false, err
	}
	y, err = f.ConvertDType(b, dtypes.BFloat16)
	return x, y, true, err
}

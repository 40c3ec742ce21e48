package doctor

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/accelerator"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// checkGPU looks for a GPU, its driver and its plugin, and opens it as a run does.
func checkGPU(ctx context.Context, o Options) (status Status, detail string) {
	driver := "no NVIDIA driver (nvidia-smi)"
	gpus := nvidia(ctx)
	if len(gpus) > 0 {
		driver = strings.Join(gpus, "; ")
	}
	d, err := accelerator.Open(o.Device, train.Float32, o.Getenv)
	if err != nil {
		return Fail, oneLine(o.Message(err)) + "; " + driver
	}
	defer d.Close()
	switch {
	case d.GPU():
		return Pass, fmt.Sprintf("%s through %s, experimental; %s", d, d.Accelerator.Origin(), driver)
	case d.Why != "":
		return Warn, "not used: " + d.Why + "; " + driver
	case !accelerator.Built() && len(gpus) > 0:
		return Warn, "not used: this build has no GPU support (experimental), see docs/gpu.md; " + driver
	case !accelerator.Built():
		return Pass, "not used: this build has no GPU support (experimental), see docs/gpu.md"
	}
	return Pass, "not used, as requested; " + driver
}

// oneLine joins the lines of a message.
func oneLine(message string) string {
	parts := strings.Split(message, "\n")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), ":; ", ": ")
}

// parity is the largest difference between a step on the GPU and on the CPU, relative to the step.
const parity = 1e-4

// checkParity compares one training step on the GPU and on the CPU, of an attention network and of a convolutional one.
// It does not apply without a GPU.
func checkParity(_ context.Context, o Options) (status Status, detail string) {
	d, err := accelerator.Open(o.Device, train.Float32, o.Getenv)
	if err != nil || !d.GPU() {
		return "", ""
	}
	defer d.Close()
	var parts []string
	status = Pass
	for _, preset := range []string{"tiny", "small/resnet10"} {
		off, err := stepOff(preset, d.Accelerator)
		if err != nil {
			return Fail, preset + ": " + o.Message(err)
		}
		if !(off <= parity) {
			status = Fail
		}
		parts = append(parts, fmt.Sprintf("%.1g in %s", off, preset))
	}
	return status, fmt.Sprintf("relative difference of a step on the GPU and on the CPU: %s; up to %.0g is rounding",
		strings.Join(parts, ", "), parity)
}

// stepOff returns ‖w_d - w_c‖ / ‖w_c - w‖ for the weights w_d and w_c after one step of plain gradient descent on a
// device and on the CPU, both from w.
func stepOff(preset string, on train.Device) (float64, error) {
	r, err := configs.Resolve(configs.Sources{Flags: []configs.Flag{{Name: "--preset", Key: "preset", Text: preset}}},
		nil)
	if err != nil {
		return 0, err
	}
	spec := r.Run.Model
	shape := train.Shape{4, spec.Image[0], spec.Image[1], spec.Image[2]}
	b := &data.Batch{X: random("images", shape[0]*shape[1]*shape[2]*shape[3]), Labels: []int32{0, 1, 2, 3}, N: shape[0]}
	var after [2][]float32
	for i, where := range []train.Device{nil, on} {
		if after[i], err = weightsAfter(spec, shape, b, where); err != nil {
			return 0, err
		}
	}
	net, err := model.New(spec, 0)
	if err != nil {
		return 0, err
	}
	before := allWeights(net)
	return distance(after[1], after[0]) / distance(after[0], before), nil
}

// weightsAfter returns the weights after one step on a device.
func weightsAfter(spec model.Spec, shape train.Shape, b *data.Batch, on train.Device) ([]float32, error) {
	net, err := model.New(spec, 0)
	if err != nil {
		return nil, err
	}
	o := train.Default()
	o.Batch, o.WeightDecay, o.Device = shape[0], 0, on
	s, err := train.NewStepper(net, shape, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, _, err := s.Train(b, 0, o.LR); err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	return allWeights(net), nil
}

// allWeights concatenates the weights of a network.
func allWeights(net *model.Network) (all []float32) {
	for _, p := range net.Params {
		all = append(all, p.Data...)
	}
	return all
}

func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

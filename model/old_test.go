package model

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
)

// Checkpoints that the program wrote in November 2026, before a network was a list of blocks: their configs say layers
// as a number, a twin's nothing of its border, one of them picture for image. Each is read as the same network and
// gives the same logits, up to the rounding of a machine's kernels.
func TestOldCheckpoints(t *testing.T) {
	x := make([]float32, 2*8*12*3)
	for i := range x {
		x[i] = float32((i*37)%101)/50 - 1
	}
	for name, want := range map[string][]float64{
		"mhsa": {0.49520317, -0.06779447, -0.4622311, -0.012313873, -0.34426254, 0.34507775, -0.044525336, -0.5966653,
			0.09137952, -0.4058764},
		"relative": {0.38419113, -0.12666222, -0.47697955, 0.07296121, -0.60060036, 0.19232488, -0.107907966,
			-0.6995126,
			0.12762494, -0.52780354},
		"conv-twin": {0.32929838, 0.043066964, -0.4163112, 0.030202843, -0.6482999, 0.22468823, 0.040820353, -0.5798255,
			0.08231134, -0.59511393},
		"resnet10": {-0.0508991, 0.0032428934, -0.24648829, 0.078734696, 0.2008413, -0.048735708, 0.003730723,
			-0.24782157,
			0.07586845, 0.20173717},
	} {
		f, err := ckpt.Read(filepath.Join("testdata", name+"-2026-11.ckpt"))
		if err != nil {
			t.Fatal(err)
		}
		net, err := Load(f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var logits *nn.Node
		g, err := nn.Build(false, func(g *nn.Graph) { logits = net.Forward(g, g.Input("x", x, 2, 8, 12, 3)) })
		if err != nil {
			t.Fatal(err)
		}
		run, err := nn.Compile(g, nil, logits)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if err := run.Run(0); err != nil {
			t.Fatal(err)
		}
		for i, got := range nn.Value(logits) {
			if math.Abs(float64(got)-want[i]) > 2e-6 {
				t.Errorf("%s: logit %d is %.8f, was %.8f", name, i, got, want[i])
			}
		}
	}
}

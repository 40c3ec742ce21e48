package vec

import (
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

func TestSumRows(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			for _, tt := range []struct{ n, d int }{{0, 5}, {1, 1}, {3, 10}, {100, 8}, {5000, 33}, {3, 40000}} {
				x, sum := kerneltest.NewFence(tt.n*tt.d, 1), kerneltest.NewFence(tt.d, 2)
				SumRows(sum.In, x.In)
				for j, got := range sum.In {
					var want float64
					for i := range tt.n {
						want += float64(x.In[i*tt.d+j])
					}
					if !kerneltest.Near(float64(got), want, 1e-4) {
						t.Fatalf("%d × %d: sum of column %d = %v, want %v", tt.n, tt.d, j, got, want)
					}
				}
				if sum.Broken() {
					t.Fatalf("%d × %d: wrote outside the sum", tt.n, tt.d)
				}
			}
		})
	}
}

func TestAddRow(t *testing.T) {
	for _, s := range kernel.Names() {
		t.Run(s, func(t *testing.T) {
			kerneltest.Use(t, s)
			const n, d = 901, 37
			x, b, y := kerneltest.Sample(n*d, 1), kerneltest.Sample(d, 2), kerneltest.NewFence(n*d, 3)
			AddRow(y.In, x, b)
			for i, v := range y.In {
				if want := x[i] + b[i%d]; v != want {
					t.Fatalf("y[%d] = %v, want %v", i, v, want)
				}
			}
			if y.Broken() {
				t.Error("wrote outside y")
			}
		})
	}
}

func TestSlicesOfOtherLengthsPanic(t *testing.T) {
	a, b := make([]float32, 12), make([]float32, 8)
	for name, f := range map[string]func(){
		"Add":          func() { Add(a, b) },
		"Axpy":         func() { Axpy(1, a, b) },
		"Dot":          func() { Dot(a, b) },
		"AddRow":       func() { AddRow(a, a, make([]float32, 5)) },
		"SumRows":      func() { SumRows(make([]float32, 5), a) },
		"GELU":         func() { GELU(b, a, b[:4]) },
		"SoftmaxRows":  func() { SoftmaxRows(a, a, 5) },
		"SGD":          func() { SGD(a, b, a, 0, 0, 0) },
		"MeanTokens":   func() { MeanTokens(b, a, 3, 4) },
		"SpaceToDepth": func() { SpaceToDepth(a, a, 3, 4, 1, 2) },
		"CrossEntropy": func() { CrossEntropy(nil, a, []int32{0, 7}, 6, 0, 1) },
		"AddOuter":     func() { AddOuter(a, b[:3], b[:5]) },
		"SumOuter":     func() { SumOuter(b[:3], b[:3], a) },
		"key outside":  func() { SubPairs(a, 4, b, 4, 4, &Pairs{[]int32{0, 1}, []int32{2}, a[:1], 0}) },
		"negative key": func() { PairDots(a[:1], a, 4, b, 4, 4, &Pairs{[]int32{0, 1}, []int32{-1}, nil, 0}) },
		"wrong starts": func() { SubPairs(a, 4, b, 4, 4, &Pairs{[]int32{0, 2}, []int32{1}, a[:1], 0}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func TestNothingToDo(t *testing.T) {
	GELU(nil, nil, nil)
	AddRow(nil, nil, nil)
	SumRows(nil, nil)
	Add(nil, nil)
	SoftmaxRows(nil, nil, 0)
	ResidualNorm(nil, nil, nil, nil, nil, nil, nil, Dropout{})
	ResidualNormGrad(nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, Dropout{})
	MeanTokens(nil, nil, 4, 3)
	SGD(nil, nil, nil, 0, 0, 0)
	if !Finite(nil) || SumSquares(nil) != 0 {
		t.Error("no numbers must be finite and have no squares")
	}
}

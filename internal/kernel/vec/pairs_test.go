package vec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
)

// somePairs lists about share of all pairs of queries and keys; the first query has none.
func somePairs(queries, keys int, share float64) *Pairs {
	rng := rand.New(rand.NewPCG(1, 2))
	p := &Pairs{Start: []int32{0}}
	for q := range queries {
		for k := range keys {
			if q > 0 && rng.Float64() < share {
				p.Key, p.Weight = append(p.Key, int32(k)), append(p.Weight, rng.Float32())
			}
		}
		p.Start = append(p.Start, int32(len(p.Key)))
	}
	return p
}

func TestPairs(t *testing.T) {
	for _, s := range kernel.Names() {
		for _, d := range []int{1, 7, 8, 9, 16, 31, 64, 100, 400} {
			for _, apart := range []int{d, d + 5} {
				t.Run(fmt.Sprintf("%s/d=%d/apart=%d", s, d, apart), func(t *testing.T) {
					kerneltest.Use(t, s)
					const queries, keys = 13, 9
					p := somePairs(queries, keys, 0.4)
					z, x := kerneltest.NewFence((queries-1)*apart+d, 1), kerneltest.NewFence((keys-1)*d+d, 2)
					dots := kerneltest.NewFence(len(p.Key), 3)
					before, dotsBefore := slices.Clone(z.In), slices.Clone(dots.In)
					want := slices.Clone(z.In)
					for q := range queries {
						for n := p.Start[q]; n < p.Start[q+1]; n++ {
							for c := range d {
								want[q*apart+c] -= p.Weight[n] * x.In[int(p.Key[n])*d+c]
							}
						}
					}
					PairDots(dots.In, before, apart, x.In, d, d, p)
					SubPairs(z.In, apart, x.In, d, d, p)
					for i := range want {
						if !kerneltest.Near(float64(z.In[i]), float64(want[i]), 1e-5) {
							t.Fatalf("z[%d] = %v, want %v", i, z.In[i], want[i])
						}
					}
					for q := range queries {
						for n := p.Start[q]; n < p.Start[q+1]; n++ {
							want := float64(dotsBefore[n])
							k := int(p.Key[n])
							want += weighted(before[q*apart:q*apart+d], x.In[k*d:k*d+d])
							if !kerneltest.Near(float64(dots.In[n]), want, 1e-4) {
								t.Fatalf("pair %d: %v, want %v", n, dots.In[n], want)
							}
						}
					}
					if z.Broken() || x.Broken() || dots.Broken() {
						t.Error("wrote outside its slices")
					}
				})
			}
		}
	}
}

func TestPairsWithoutPairs(t *testing.T) {
	z := kerneltest.Sample(24, 1)
	want := slices.Clone(z)
	SubPairs(z, 8, nil, 8, 8, &Pairs{Start: []int32{0, 0, 0, 0}})
	SubPairs(nil, 8, nil, 8, 8, &Pairs{Start: []int32{0}})
	PairDots(nil, z, 8, nil, 8, 8, &Pairs{Start: []int32{0, 0, 0, 0}})
	if !slices.Equal(z, want) {
		t.Errorf("no pairs, but z changed")
	}
}

func TestTranspose(t *testing.T) {
	p := &Pairs{Start: []int32{0, 2, 2, 5}, Key: []int32{1, 3, 0, 1, 2}, Weight: []float32{10, 11, 12, 13, 14}}
	dst := &Pairs{Start: make([]int32, 1, 9), Key: []int32{7, 7, 7, 7, 7, 7}}
	p.Transpose(dst, 5)
	if want := []int32{0, 1, 3, 4, 5, 5}; !slices.Equal(dst.Start, want) {
		t.Errorf("starts %v, want %v", dst.Start, want)
	}
	if want := []int32{2, 0, 2, 2, 0}; !slices.Equal(dst.Key, want) {
		t.Errorf("keys %v, want %v", dst.Key, want)
	}
	if want := []float32{12, 10, 13, 14, 11}; !slices.Equal(dst.Weight, want) {
		t.Errorf("weights %v, want %v", dst.Weight, want)
	}

	big := somePairs(40, 30, 0.2)
	var transposed, back Pairs
	big.Transpose(&transposed, 30)
	transposed.Transpose(&back, 40)
	if !slices.Equal(back.Start, big.Start) || !slices.Equal(back.Key, big.Key) ||
		!slices.Equal(back.Weight, big.Weight) {
		t.Error("transposed twice, the pairs are not what they were")
	}
}

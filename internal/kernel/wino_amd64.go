//go:build !purego

package kernel

//go:generate go run -C gen ./wino -out ../wino_amd64.s

var winoAVX2 = winoSet{
	winoIn: winoInAVX2, winoInGrad: winoInGradAVX2, winoOut: winoOutAVX2, winoOutGrad: winoOutGradAVX2,
	winoWeights: winoWeightsAVX2, winoWeightsGrad: winoWeightsGradAVX2,
}

var winoAVX512 = winoSet{
	winoIn: winoInAVX512, winoInGrad: winoInGradAVX512, winoOut: winoOutAVX512, winoOutGrad: winoOutGradAVX512,
	winoWeights: winoWeightsAVX512, winoWeightsGrad: winoWeightsGradAVX512,
}

// The routines below work like those of winoGeneric, 8 or 16 channels at a time and with fewer operations: points come
// in pairs of opposite sign. They trust that squares lie within their slices.

//go:noescape
func winoInAVX2(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoInGradAVX2(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoOutAVX2(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoOutGradAVX2(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoWeightsAVX2(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoWeightsGradAVX2(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoInAVX512(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoInGradAVX512(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoOutAVX512(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoOutGradAVX512(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoWeightsAVX512(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)

//go:noescape
func winoWeightsGradAVX512(n int, dst []float32, di, dj int, src []float32, si, sj int, tmp []float32)
